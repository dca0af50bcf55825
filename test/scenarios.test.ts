import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const root = new URL('../', import.meta.url);

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

/**
 * Every scenario of the contract: 1 to 300, behavior of Crossplane's managed reconciler (crossplane-runtime, pkg/reconciler), 7b, which is
 * ours, A1 to A7, which crossplane-runtime does not test, B1 to B177 of the SAP BTP service operator, and B12.1 to B12.10, where a new
 * operator can be better (decisions 15 to 19), I1 to I132 of the Kyma infrastructure manager, and I10.1 to I10.10, where it can be better
 * (decision 24), N1 to N130 of its version 1.41, and R1 to R87 of the Kyma reconciler.
 */
const contract: readonly string[] = [
  ...numbered('', 300),
  '7b',
  ...numbered('A', 7),
  ...numbered('B', 177),
  ...numbered('B12.', 10),
  ...numbered('I', 132),
  ...numbered('I10.', 10),
  ...numbered('N', 130),
  ...numbered('R', 87),
];

/** Why a scenario has no test. */
const without: Readonly<Record<string, string>> = {
  253: 'annotations of an event are an object here, so that no key can be left without a value',
  254: 'annotations of an event are an object here, so that no key can be left without a value',
  B154: 'superseded: the template engine counts the bytes of its output, no writer is limited',
  B170: 'the Service Manager client lists its scenarios with its tests',
  B171: 'superseded: keys of requests are objects, no text is parsed',
  'I10.10':
    'shared networks, known addresses, dual stack and access on demand are not in the API of Runtime (decision 24)',
  R9: 'changes are no parts of a transaction of their caller, so that none can outlive it',
  R85: 'part of component reconcilers or of the config store, which are not built',
};

/** `[8] a create whose …`, `[I34]` in a row of a table, also several: `[B1-B4] [B6] …`. */
const TITLE = /(['"`])((?:\[[ABINR]?[1-9][\d.]*b?(?:-[ABINR]?\d+)?\](?: |(?=\1)))+)[^\n]*?\1/g;
const NUMBER = /\[([ABINR]?)(\d[\d.]*b?)(?:-[ABINR]?(\d+))?\]/g;

function scenariosIn(source: string): string[] {
  return [...source.matchAll(TITLE)].flatMap(([, , numbers = '']) =>
    [...numbers.matchAll(NUMBER)].flatMap(([, prefix = '', first = '', last]) =>
      last === undefined ? [`${prefix}${first}`] : numbered(prefix, Number(last)).slice(Number(first) - 1),
    ),
  );
}

test('titles have the numbers of scenarios', () => {
  const source = `test("[7b] [B12.3] it's one", f); test.each([['[I34]', 1], ['[B1-B3] x'], ['a [5] b'], [5], ['[0.5]']])`;
  expect(scenariosIn(source)).toEqual(['7b', 'B12.3', 'I34', 'B1', 'B2', 'B3']);
});

test('every scenario of the contract is in the title of a test, or has a reason why there is none', async () => {
  const found = new Set<string>();
  for await (const path of glob('{internal,test}/**/*.{test,suite}.ts', { cwd: root })) {
    if (path === 'test/scenarios.test.ts') continue;
    for (const id of scenariosIn(await readFile(new URL(path, root), 'utf8'))) found.add(id);
  }
  const named = [...found, ...Object.keys(without)];
  expect({
    missing: contract.filter((id) => !named.includes(id)),
    unknown: named.filter((id) => !contract.includes(id)),
    tested: Object.keys(without).filter((id) => found.has(id)),
  }).toEqual({ missing: [], unknown: [], tested: [] });
});
