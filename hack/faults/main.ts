/**
 * Runs the long campaigns of random faults (`make test-faults`). Each part gets its seed and its number of runs in the
 * environment (test/campaign/campaign.ts); the short deterministic runs of the same tests are part of `make test`.
 */
import { join } from 'node:path';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { runStage } from '../test-run/run-stage.ts';
import { parseFaultOptions } from './options.ts';
import { FAULT_PARTS } from './parts.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A campaign that takes longer hangs, even on a busy machine. */
const LIMIT_MS = 3 * 60 * 60_000;

const options = parseFaultOptions(
  FAULT_PARTS.map(({ name }) => name),
  process.argv.slice(2),
);
let failed = 0;
for (const { name, title, script, jestArgs, alone, runs: ofPart } of FAULT_PARTS) {
  if (options.only.length > 0 && !options.only.includes(name)) continue;
  const runs = options.runs ?? ofPart;
  const replay = `--only ${name} --seed ${options.seed} --runs ${runs}`;
  console.log(`── ${name}: ${title}; replay with make test-faults ARGS='${replay}'`);
  let holds = true;
  for (const paths of alone ? jestArgs.map((path) => [path]) : [jestArgs]) {
    const exitCode = await runStage({
      command: 'env',
      args: [
        `FAULTS_SEED=${options.seed}`,
        `FAULTS_RUNS=${runs}`,
        'npm',
        'run',
        '--silent',
        script,
        '--',
        ...paths,
      ],
      cwd: ROOT,
      quiet: false,
      limitMs: LIMIT_MS,
      clock: systemClock,
      report: (line) => console.log(`${name}: ${line}`),
    });
    if (exitCode !== 0) holds = false;
  }
  console.log(`${holds ? 'ok    ' : 'FAILED'}  ${name}  ${replay}`);
  if (!holds) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
