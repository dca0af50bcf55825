import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = join(import.meta.dirname, '../../..');
const HOOK = new URL('planted-module.ts', import.meta.url).href;
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** Another source of a file of the program. */
export interface Planted {
  /** From the root of the repository. */
  readonly file: string;
  readonly source: string;
}

export interface TestRun {
  readonly success: boolean;
  /** Whether some test loaded the planted file. Without one: true. */
  readonly isLoaded: boolean;
  /** Messages of failed tests, by their file from the root of the repository. */
  readonly failures: readonly { readonly file: string; readonly message: string }[];
}

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}

/** Runs that have not ended, for the end of this process. */
const running = new Set<() => void>();
process.once('exit', () => {
  for (const stop of running) stop();
});

/** Tests that take longer hang, even on a busy machine. */
const LIMIT_MS = 15 * 60_000;

/**
 * Runs test files in a process of their own, by Jest.
 *
 * @param tests patterns of paths, separated by blanks
 * @returns without a report of Jest, as of tests that hang: no success, and no failures
 */
export async function runTests(
  tests: string,
  planted?: Planted,
  env: Readonly<Record<string, string>> = {},
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-'));
  const output = join(folder, 'result.json');
  const source = join(folder, 'source.ts');
  const project = tests.includes('test/integration/') ? 'integration' : 'unit';
  const selected = [...tests.split(' '), '--selectProjects', project];
  // A fault may leave processes and connections that keep the tests from ending.
  const args = [JEST, ...selected, '--runInBand', '--forceExit', '--json', `--outputFile=${output}`];
  // The seed and the runs of a long campaign are not for the tests of a fault.
  const { FAULTS_SEED: _seed, FAULTS_RUNS: _runs, NODE_OPTIONS: nodeOptions = '', ...others } = process.env;
  const faulty =
    planted === undefined
      ? {}
      : {
          NODE_OPTIONS: `${nodeOptions} --import=${HOOK}`,
          PLANTED_MODULE: pathToFileURL(join(ROOT, planted.file)).href,
          PLANTED_SOURCE: source,
        };
  if (planted !== undefined) writeFileSync(source, planted.source);
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'ignore',
    detached: true,
    env: { ...others, CAMPAIGN_SHRINK: 'never', ...faulty, ...env },
  });
  const stop = () => {
    // With what its tests started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  running.add(stop);
  const limit = setTimeout(stop, LIMIT_MS);
  try {
    await once(child, 'exit');
    // A fault by which they hang is noticed.
    if (!existsSync(output)) return { success: false, failures: [], isLoaded: true };
    const { success, testResults }: Report = JSON.parse(readFileSync(output, 'utf8'));
    const failures = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name, message }) => ({ file: name.slice(ROOT.length + 1), message }));
    return { success, failures, isLoaded: planted === undefined || existsSync(`${source}.loaded`) };
  } finally {
    clearTimeout(limit);
    running.delete(stop);
    rmSync(folder, { recursive: true, force: true });
  }
}
