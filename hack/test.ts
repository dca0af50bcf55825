/**
 * Runs the checks and tests of `make test`, or with `--all` those of `make test-all`, which has the long forms too. Closes with the one
 * line `N passed, N failed`.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../internal/framework/base/time/clock.ts';
import { MET_FOLDER } from '../test/guards/violations.ts';
import { runStage } from './test-run/run-stage.ts';
import { runStages, type StageEnd } from './test-run/run-stages.ts';
import { roundsOf, type Stage } from './test-run/stages.ts';

const ROOT = join(import.meta.dirname, '..');

const isAll = process.argv.includes('--all');
if (isAll) process.env.CHECK_ALL_PATTERNS = '1';
else process.env.SHORT_TESTS = '1';

const results = await mkdtemp(join(tmpdir(), 'kyma-test-results-'));
// Known violations that tests met, for the stage `guards`; it stays empty if there are none.
const met = join(results, 'guards');
await mkdir(met);
process.env[MET_FOLDER] = met;

async function run(stage: Stage, file?: string): Promise<StageEnd> {
  const output = join(results, `${stage.script.replaceAll(':', '-')}${file ? '-again' : ''}.json`);
  const alone = file ? ['--runTestsByPath', file] : [];
  const jest = stage.jest ? ['--ci', '--json', `--outputFile=${output}`, ...alone] : [];
  const exitCode = await runStage({
    command: 'nice',
    args: ['-n', stage.yields ? '19' : '0', 'npm', 'run', '--silent', stage.script, '--', ...jest],
    cwd: ROOT,
    // Jest's JSON also goes to stdout, where it is not needed.
    quiet: stage.jest === true,
    limitMs: stage.limitMinutes * 60_000,
    clock: systemClock,
    report: (line) => console.log(`${stage.name}: ${line}`),
  });
  const jestOutput = stage.jest ? await readFile(output, 'utf8').catch(() => undefined) : undefined;
  return jestOutput === undefined ? { exitCode } : { exitCode, jestOutput };
}

try {
  process.exitCode = await runStages({
    rounds: roundsOf({ isAll }),
    run,
    print: (line) => console.log(line),
    clock: systemClock,
    root: ROOT,
    // Without an installation this program would not run.
    before: { passed: 1, failed: 0 },
  });
} finally {
  await rm(results, { recursive: true, force: true });
}
