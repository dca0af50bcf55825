import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MUTATION_GROUPS } from './groups.ts';
import { scoreOf } from './score.ts';

const ROOT = join(import.meta.dirname, '../..');

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
    for (const pattern of patterns) {
      let files = 0;
      for await (const _ of glob(pattern, { cwd: ROOT })) files++;
      expect([pattern, files]).not.toEqual([pattern, 0]);
    }
  });

  test('its tests are those that Jest finds too: `a/**` in braces is only the subfolders of `a` for Jest', () => {
    expect(group.tests.filter((pattern) => /\{[^}]*\*\*/.test(pattern))).toEqual([]);
  });
});
