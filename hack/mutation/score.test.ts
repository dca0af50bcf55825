import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesOf, MUTATION_GROUPS } from './groups.ts';
import { scoreOf } from './score.ts';

const report = (...statuses: string[]) => ({
  files: { 'a.ts': { mutants: statuses.map((status) => ({ status })) }, 'b.ts': { mutants: [] } },
});

test('a mutant that makes a test hang is detected, one that no test reaches is not', () => {
  expect(scoreOf(report('Killed', 'Timeout', 'Killed', 'Survived', 'NoCoverage'))).toEqual({
    detected: 3,
    timedOut: 1,
    undetected: 2,
    percent: 60,
  });
});

test('mutants that are ignored or do not load do not change the score', () => {
  expect(scoreOf(report('Killed', 'Ignored', 'CompileError', 'RuntimeError', 'Pending')).percent).toBe(100);
});

test('a report without mutants is no success', () => {
  expect(scoreOf(report()).percent).toBe(0);
});

describe.each(MUTATION_GROUPS.map((group) => [group.name, group] as const))('group %s', (_, group) => {
  test('each of its patterns names files', async () => {
    const patterns = [...group.mutate, ...group.tests].filter((pattern) => !pattern.startsWith('!'));
    const empty = [];
    for (const pattern of patterns) if ((await filesOf([pattern])).length === 0) empty.push(pattern);
    expect(empty).toEqual([]);
  });

  test('tests that stand beside a source and have its name are not left out, also if they were divided', async () => {
    const tests = await filesOf(group.tests);
    const leftOut = [];
    for (const source of await filesOf(group.mutate)) {
      const name = join(dirname(source), basename(source, '.ts'));
      const own = await filesOf([`${name}.test.ts`, `${name}.*.test.ts`]);
      leftOut.push(...own.filter((file) => !tests.includes(file)));
    }
    expect(leftOut).toEqual([]);
  });

  test('its tests are those that Jest finds too: `a/**` in braces is only the subfolders of `a` for Jest', () => {
    expect(group.tests.filter((pattern) => /\{[^}]*\*\*/.test(pattern))).toEqual([]);
  });
});
