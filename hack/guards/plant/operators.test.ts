import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FAULTS } from './faults/faults.ts';
import { type Operator, plant } from './operators.ts';
import { ROOT } from './run-tests.ts';

const source = `
export async function remove(client: Client, { uid, other }: Meta): Promise<void> {
  assertMayWrite();
  if (isOwn(other)) await client.delete(key, { signal, preconditions: { uid }, namespace: 'shop' });
  await cleanUp(uid);
}
const sources = () => [ofType(a), mapped(b)];
const create = async (run: Run) => client.create(object, { fence: run.assertMayWrite, ...(uid ? { owner } : {}) });
`;

test.each<[string, Operator, string, string]>([
  ['remove', { kind: 'remove-call', call: 'assertMayWrite' }, 'assertMayWrite();', '{}'],
  ['remove', { kind: 'remove-call', call: 'cleanUp' }, 'await cleanUp(uid);', '{}'],
  ['remove', { kind: 'remove-member', member: 'preconditions' }, ' preconditions: { uid },', ''],
  ['remove', { kind: 'replace-call', call: 'isOwn', value: 'true' }, 'isOwn(other)', 'true'],
  [
    'remove',
    { kind: 'replace-member', member: 'namespace', value: "'x'" },
    "namespace: 'shop'",
    "namespace: 'x'",
  ],
  ['remove', { kind: 'insert', statement: 'log(uid);' }, 'Promise<void> {', 'Promise<void> { log(uid);'],
  ['sources', { kind: 'remove-element', element: 'mapped' }, ' mapped(b)', ' '],
  ['create', { kind: 'remove-member', member: 'fence' }, ' fence: run.assertMayWrite,', ''],
  ['create', { kind: 'remove-member', member: 'owner' }, ' ...(uid ? { owner } : {})', ' '],
])('in %s: %j', (name, operator, before, after) => {
  const planted = plant(source, name, operator);
  expect(planted.replaceAll(/ +/g, ' ')).toBe(source.replace(before, after).replaceAll(/ +/g, ' '));
});

test('a fault that can no longer be planted is an error', () => {
  expect(() => plant(source, 'gone', { kind: 'insert', statement: '' })).toThrow('no function gone');
  expect(() => plant(source, 'sources', { kind: 'remove-call', call: 'x' })).toThrow('has nothing for');
});

test('each fault of the list can be planted', () => {
  for (const { file, function: name, operator } of FAULTS) {
    const code = readFileSync(join(ROOT, file), 'utf8');
    expect(plant(code, name, operator)).not.toBe(code);
  }
});

describe('a fault fails no test because it does not run: that would say nothing of a guard', () => {
  test('what it imports is there', async () => {
    const missing = [];
    for (const { file, operator } of FAULTS) {
      const imports = operator.kind === 'insert' ? (operator.imports ?? '') : '';
      for (const [, names = '', from = ''] of imports.matchAll(/import \{ (.+?) \} from '(\..+?)'/g)) {
        const module: object = await import(join(ROOT, dirname(file), from)).catch(() => ({}));
        missing.push(...names.split(', ').filter((name) => !(name in module)));
      }
    }
    expect(missing).toEqual([]);
  });

  test('its names are those of its file', () => {
    const unknown = FAULTS.flatMap(({ file, operator }) => {
      const planted =
        'value' in operator ? operator.value : 'statement' in operator ? operator.statement : '';
      const code = readFileSync(join(ROOT, file), 'utf8');
      const own = /(?:const|let) (\w+)|\(([\w, ]*)\) =>/g;
      const declared = [...planted.matchAll(own)].flatMap(([, name, names]) =>
        (name ?? names ?? '').split(', '),
      );
      const imports = operator.kind === 'insert' ? operator.imports : '';
      const known = new Set([...`${code} ${imports}`.matchAll(/[\w$]+/g)].map(([name]) => name));
      return namesIn(planted)
        .filter((name) => !known.has(name) && !declared.includes(name) && !(name in globalThis))
        .map((name) => `${file}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

const KEYWORDS = ['arguments', 'as', 'await', 'const', 'for', 'object', 'of', 'return', 'true'];

/** The names of a text that are no members, keys or keywords. */
function namesIn(code: string): readonly string[] {
  const bare = code.replaceAll(/'[^']*'|`[^`]*`|\/(?:\\.|[^/\n])+\/[a-z]*/g, ' ');
  const names = [...bare.matchAll(/(?<![.\w$])[a-z_$][\w$]*(?!\s*:|[\w$])/gi)].map(([name]) => name);
  return names.filter((name) => !KEYWORDS.includes(name));
}
