import type { Clock } from '../../internal/base/time/clock.ts';
import { slowFiles } from './slow-files.ts';
import type { Stage } from './stages.ts';
import { closingLine, sum, type Tally, tallyCheck, tallyJest } from './tally.ts';

/** How a stage ended. */
export interface StageEnd {
  /** 128 and more where a signal ended it. */
  readonly exitCode: number;
  /** What Jest wrote with `--json`. */
  readonly jestOutput?: string;
}

export interface RunStagesOptions {
  readonly stages: readonly Stage[];
  readonly run: (stage: Stage) => Promise<StageEnd>;
  readonly print: (line: string) => void;
  readonly clock: Clock;
  /** Of the repository. */
  readonly root: string;
  /** Counted with the stages, for what happened before them. */
  readonly before?: Tally;
}

/** Runs every stage, prints a table with the test files that took longest and, as the very last line, the sum. Returns the exit code for the whole. */
export async function runStages({
  stages,
  run,
  print,
  clock,
  root,
  before,
}: RunStagesOptions): Promise<number> {
  const tallies: Tally[] = before === undefined ? [] : [before];
  const table: string[] = [];
  const width = Math.max(...stages.map(({ name }) => name.length));
  for (const stage of stages) {
    print(`\n── ${stage.name} ──`);
    const startedAt = clock.monotonic();
    const { exitCode, jestOutput } = await run(stage);
    const tally = stage.jest ? tallyJest(exitCode, jestOutput) : tallyCheck(exitCode);
    const seconds = ((clock.monotonic() - startedAt) / 1000).toFixed(1);
    const verdict = tally.failed === 0 ? 'ok    ' : 'FAILED';
    const counts = stage.jest ? `  ${closingLine(tally)}` : '';
    table.push(`${verdict}  ${stage.name.padEnd(width)}  ${seconds.padStart(6)} s${counts}`);
    tallies.push(tally);
    table.push(...slowFiles(jestOutput ?? '', root).map((line) => `        ${line}`));
  }
  print('');
  for (const line of table) print(line);
  const total = sum(tallies);
  print('');
  print(closingLine(total));
  return total.failed === 0 ? 0 : 1;
}
