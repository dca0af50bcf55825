import { describe, expect, test } from '@jest/globals';
import { complete, completionScript, shells } from './completion.ts';
import { program } from './program.ts';

const root = program({
  env: {},
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
  on: () => undefined,
  removeListener: () => undefined,
  exit: () => undefined,
});
const wordsAfter = (...words: string[]) => complete(root, words).candidates.map(({ word }) => word);

describe('words that can follow', () => {
  const table: { typed: string[]; want: string[] }[] = [
    { typed: ['d'], want: ['discover', 'doctor'] },
    { typed: ['doctor', '--before'], want: ['--before-uninstall'] },
    { typed: ['plan', '-o', ''], want: ['table', 'json', 'yaml'] },
    { typed: ['plan', '--output', 'j'], want: ['json'] },
    { typed: ['plan', '--output=y'], want: ['--output=yaml'] },
    { typed: ['plan', '-o', 'json', '--del'], want: ['--delete'] },
    { typed: ['clusters', 'list', '-o', 'w'], want: ['wide'] },
    {
      typed: ['clusters', 'list', '--status', 'del'],
      want: ['delete_pending', 'deleting', 'delete_error', 'deleted', 'delete_error_retryable'],
    },
    { typed: ['completion', ''], want: ['bash', 'zsh', 'fish'] },
    { typed: ['completion', 'z'], want: ['zsh'] },
    { typed: ['discover', '--instance', ''], want: [] },
    { typed: ['plan', '--', '-'], want: [] },
    { typed: ['nonsense', 'x'], want: [] },
  ];
  test.each(table)('after $typed: $want', ({ typed, want }) => {
    expect(wordsAfter(...typed)).toEqual(want);
  });

  test('all commands except hidden ones, with descriptions', () => {
    const { candidates } = complete(root, ['']);
    expect(candidates.map(({ word }) => word)).toEqual([
      'start',
      'plan',
      'discover',
      'btp',
      'doctor',
      'template',
      'mothership',
      'component',
      'local',
      'clusters',
      'reconciliations',
      'operations',
      'rollouts',
      'completion',
      'help',
    ]);
    expect(candidates.every(({ description }) => description !== '')).toBe(true);
  });

  test('paths if the flag takes a file', () => {
    expect(complete(root, ['plan', '-f', ''])).toEqual({ candidates: [], files: true });
    expect(complete(root, ['doctor', '--kubeconfig', ''])).toMatchObject({ files: true });
    expect(complete(root, ['plan', ''])).toMatchObject({ files: false });
  });
});

test.each(shells)('the script for %s gets candidates from the program only', (shell) => {
  const script = completionScript(shell);
  expect(script).toContain('__complete -- ');
  expect(script).toContain(':files');
});
