/** Runs all checks and tests (`make test`) and closes with the one line `N passed, N failed`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../internal/base/clock.ts';
import { runStages, type StageEnd } from './test-run/run-stages.ts';
import { STAGES, type Stage } from './test-run/stages.ts';

const ROOT = join(import.meta.dirname, '..');

const results = await mkdtemp(join(tmpdir(), 'kyma-test-results-'));

async function run(stage: Stage): Promise<StageEnd> {
  const output = join(results, `${stage.script.replaceAll(':', '-')}.json`);
  const args = [...(stage.args ?? []), ...(stage.jest ? ['--ci', '--json', `--outputFile=${output}`] : [])];
  const child = spawn('npm', ['run', '--silent', stage.script, '--', ...args], {
    cwd: ROOT,
    // Nobody answers questions here. Jest's JSON also goes to stdout, where it is of no use to anyone.
    stdio: ['ignore', stage.jest ? 'ignore' : 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  const jestOutput = stage.jest ? await readFile(output, 'utf8').catch(() => undefined) : undefined;
  return jestOutput === undefined ? { exitCode } : { exitCode, jestOutput };
}

try {
  process.exitCode = await runStages({
    stages: STAGES,
    run,
    print: (line) => console.log(line),
    clock: systemClock,
    // Without an installation this program would not run.
    before: { passed: 1, failed: 0 },
  });
} finally {
  await rm(results, { recursive: true, force: true });
}
