import { relative } from 'node:path';
import { parseResult } from './tally.ts';

const MIN_SECONDS = 20;
const MAX_FILES = 10;

/**
 * A line for each of the test files that took longest, at least 20 s. They belong into the list of `test/jest/sequencer.ts`.
 *
 * @param output what Jest wrote with `--json`
 * @param root the names are relative to it
 */
export function slowFiles(output: string, root: string): string[] {
  const { testResults = [] } = parseResult(output) ?? {};
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .filter(({ seconds }) => seconds >= MIN_SECONDS)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_FILES)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${relative(root, name)}`);
}
