import { relative } from 'node:path';
import type { Clock } from '../../internal/framework/base/time/clock.ts';
import { slowFiles } from './slow-files.ts';
import type { Stage } from './stages.ts';
import { closingLine, failedFiles, sum, type Tally, tallyCheck, tallyJest, tallyOthers } from './tally.ts';

/** How a stage ended. */
export interface StageEnd {
  /** 128 and more where a signal ended it. */
  readonly exitCode: number;
  /** What Jest wrote with `--json`. */
  readonly jestOutput?: string;
}

export interface RunStagesOptions {
  /** Rounds of lanes of stages: see `roundsOf`. */
  readonly rounds: readonly (readonly (readonly Stage[])[])[];
  /** @param file the only one to run; undefined: all */
  readonly run: (stage: Stage, file?: string) => Promise<StageEnd>;
  readonly print: (line: string) => void;
  readonly clock: Clock;
  /** Of the repository. */
  readonly root: string;
  /** Counted with the stages, for what happened before them. */
  readonly before?: Tally;
}

/** What a stage adds to the table and to the sum. */
interface StageReport {
  readonly lines: readonly string[];
  readonly tally: Tally;
}

/** Runs every stage, prints a table with the test files that took longest and, as the very last line, the sum. Returns the exit code for the whole. */
export async function runStages({
  rounds,
  run,
  print,
  clock,
  root,
  before,
}: RunStagesOptions): Promise<number> {
  const width = Math.max(...rounds.flat(2).map(({ name }) => name.length));
  const runOne = async (stage: Stage): Promise<StageReport> => {
    print(`\n── ${stage.name} ──`);
    const startedAt = clock.monotonic();
    const { exitCode, jestOutput } = await run(stage);
    const first = stage.jest ? tallyJest(exitCode, jestOutput) : tallyCheck(exitCode);
    const { tally, passedAlone } = await runAgain(stage, first, jestOutput);
    const seconds = ((clock.monotonic() - startedAt) / 1000).toFixed(1);
    const verdict = tally.failed === 0 ? 'ok    ' : 'FAILED';
    const counts = stage.jest ? `  ${closingLine(tally)}` : '';
    const line = `${verdict}  ${stage.name.padEnd(width)}  ${seconds.padStart(6)} s${counts}`;
    const slow = slowFiles(jestOutput ?? '', root).map((file) => `        ${file}`);
    return { lines: [line, ...passedAlone, ...slow], tally };
  };
  /** Runs failed files once more where the stage allows it; `passedAlone` names those that pass then. */
  const runAgain = async (stage: Stage, tally: Tally, jestOutput = '') => {
    const files = failedFiles(jestOutput);
    const unchanged = { tally, passedAlone: [] as string[] };
    if (files.length === 0 || files.length > (stage.again ?? 0)) return unchanged;
    print(`\n── ${stage.name}, once more: ${files.length} ──`);
    const tallies = [tallyOthers(jestOutput)];
    const passedAlone: string[] = [];
    for (const file of files) {
      const end = await run(stage, file);
      const second = tallyJest(end.exitCode, end.jestOutput);
      tallies.push(second);
      if (second.failed === 0)
        passedAlone.push(`        failed beside others, passed alone: ${relative(root, file)}`);
    }
    return { tally: sum(tallies), passedAlone };
  };
  const runLane = async (stages: readonly Stage[]): Promise<StageReport[]> => {
    const reports: StageReport[] = [];
    for (const stage of stages) reports.push(await runOne(stage));
    return reports;
  };
  const reports: StageReport[] = [];
  for (const lanes of rounds) reports.push(...(await Promise.all(lanes.map(runLane))).flat());
  print('');
  for (const { lines } of reports) lines.forEach(print);
  const total = sum([...(before === undefined ? [] : [before]), ...reports.map(({ tally }) => tally)]);
  print('');
  print(closingLine(total));
  return total.failed === 0 ? 0 : 1;
}
