/**
 * Measures which lines of code the unit tests run (`make coverage`), and prints the share of each folder and the files
 * with the lowest one. Comments, types and empty lines do not count. The pages in coverage/ show each line.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { runStage } from '../test-run/run-stage.ts';
import { countLines, type FileCoverage, type LineCount, percentOf, sumLines } from './summary.ts';

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const CONFIG = join(import.meta.dirname, 'jest.config.js');
/** A run that takes longer hangs, even on a busy machine. */
const LIMIT_MS = 60 * 60_000;
const WANTED_PERCENT = 90;
/** Number of files in the list of those with the lowest share. */
const LISTED = 25;

const args = process.argv.slice(2);
const exitCode = await runStage({
  command: process.execPath,
  args: [
    '--experimental-vm-modules',
    JEST,
    '--config',
    CONFIG,
    '--maxWorkers',
    '100%',
    '--coverage',
    ...args,
  ],
  cwd: ROOT,
  quiet: true,
  limitMs: LIMIT_MS,
  clock: systemClock,
  report: (line) => console.log(line),
});

const report: Record<string, FileCoverage> = JSON.parse(
  await readFile(join(ROOT, 'coverage/coverage-final.json'), 'utf8'),
);
const files: [path: string, count: LineCount][] = [];
for (const coverage of Object.values(report)) {
  const source = await readFile(coverage.path, 'utf8');
  files.push([relative(ROOT, coverage.path), countLines(coverage, source)]);
}

const folders = Map.groupBy(files, ([path]) => dirname(path).split('/').slice(0, 3).join('/'));
for (const [folder, inFolder] of [...folders].sort())
  print(folder, sumLines(inFolder.map(([, count]) => count)));
console.log('\nlowest:');
const byShare = files.toSorted(([, a], [, b]) => percentOf(a) - percentOf(b));
for (const [path, count] of byShare.slice(0, LISTED)) print(path, count);
console.log();
const total = sumLines(files.map(([, count]) => count));
print('all', total);
// A part of the tests reaches a part of the files alone.
const tooLow = args.length === 0 && percentOf(total) < WANTED_PERCENT;
if (exitCode !== 0 || tooLow) process.exitCode = 1;

function print(name: string, count: LineCount): void {
  console.log(
    `${percentOf(count).toFixed(1).padStart(5)} %  ${name}  ${count.covered} of ${count.lines} lines`,
  );
}
