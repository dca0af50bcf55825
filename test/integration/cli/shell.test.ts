/** Shells and kubectl with the program: completion by the printed scripts, and the plugin. */
import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';

const BIN = join(import.meta.dirname, '../../../bin');

const folder = temporaryFolder('kyma-shell-');

const environment = (path = BIN) => ({
  PATH: [path, process.env.PATH].join(delimiter),
  HOME: folder,
});

/** What bash offers for words of which the last one is being typed. */
function bashOffers(...words: readonly string[]): string[] {
  const script = `
    source <(provider-kyma completion bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _provider_kyma
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', 'provider-kyma', ...words], {
    cwd: BIN,
    env: environment(),
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  test.each([
    { words: ['pl'], want: ['plan'] },
    { words: ['plan', '-o', ''], want: ['table', 'json', 'yaml'] },
    { words: ['plan', '--output', '=', 'j'], want: ['json'] },
    { words: ['plan', '--output', '='], want: ['table', 'json', 'yaml'] },
    { words: ['doctor', '--before'], want: ['--before-uninstall'] },
    { words: ['plan', '-f', 'kubectl-k'], want: ['kubectl-kyma'] },
  ])('offers $want after $words', ({ words, want }) => {
    expect(bashOffers(...words)).toEqual(want);
  });
});

/** kubectl where it is installed, else what kubectl would run. */
function kubectl(args: readonly string[], path?: string) {
  const env = environment(path);
  const installed = spawnSync('kubectl', ['version', '--client'], { env }).status === 0;
  const [command, own] = installed ? ['kubectl', ['kyma']] : ['kubectl-kyma', []];
  return spawnSync(command, [...own, ...args], { cwd: '/', env, encoding: 'utf8' });
}

describe('kubectl kyma', () => {
  test('runs the program, with its arguments and exit code', () => {
    expect(kubectl(['plan', '--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: kubectl kyma plan /),
    });
    expect(kubectl(['doctor'])).toMatchObject({ status: 2, stdout: '' });
  });

  test('is found through a link', async () => {
    const link = join(folder, 'kubectl-kyma');
    await symlink(join(BIN, 'kubectl-kyma'), link);
    expect(spawnSync(link, ['--version'], { env: environment(), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test.each([
    { words: ['plan', '-o', 'j'], want: 'json\t\n:4\n' },
    { words: ['plan', '-f', ''], want: ':0\n' },
  ])('completes $words for kubectl', ({ words, want }) => {
    const { stdout, status } = spawnSync('kubectl_complete-kyma', words, {
      env: environment(),
      encoding: 'utf8',
    });
    expect({ stdout, status }).toEqual({ stdout: want, status: 0 });
  });
});

test('a reader that closes the pipe early is no error: nothing is printed about it', () => {
  const { stderr } = spawnSync('bash', ['-c', 'provider-kyma plan --help | true'], {
    env: environment(),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
});
