/**
 * Measures the unit tests by mutations (`make mutation`): Stryker changes one expression of a group's files at a time, and
 * counts the changes with which a test fails. Reports go to dist/mutation. With `--operators` the faults of
 * hack/guards/plant/find-sites.ts are planted instead.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { runStage } from '../test-run/run-stage.ts';
import { groupsWith, MUTATION_GROUPS, type MutationGroup } from './groups.ts';
import { measureOperators } from './operator-mutants.ts';
import { type MutationScore, scoreOf } from './score.ts';
import { strykerOptions } from './stryker-options.ts';

const ROOT = join(import.meta.dirname, '../..');
const STRYKER = join(import.meta.dirname, 'node_modules/@stryker-mutator');
const REPORTS = join(ROOT, 'dist/mutation');
/** A group that takes longer hangs, even on a busy machine. */
const LIMIT_MS = 3 * 60 * 60_000;
const WANTED_PERCENT = 85;

interface Options {
  readonly only: readonly string[];
  readonly concurrency: number;
  readonly changedSince?: string;
  readonly operators?: true;
}

const { only, concurrency, changedSince, operators } = new Command('make mutation, ARGS=')
  .addOption(
    new Option('--only <name...>', 'measure these groups')
      .choices(MUTATION_GROUPS.map(({ name }) => name))
      .default([], 'all'),
  )
  .option('--changed-since <commit>', 'measure groups with a file that changed since this commit')
  .option(
    '--operators',
    'instead of expressions, change ownership checks, preconditions, guards, owners, namespaces, cleanups and triggers',
  )
  .option('--concurrency <n>', 'test processes at a time', positive, 2)
  .parse()
  .opts<Options>();

const groups = changedSince === undefined ? MUTATION_GROUPS : groupsWith(await changedFiles(changedSince));
const lines: string[] = [];
for (const group of groups) {
  if (only.length > 0 && !only.includes(group.name)) continue;
  const score = operators
    ? await measureOperators(group, (line) => console.log(`${group.name}: ${line}`))
    : await measureExpressions(group);
  if (score === undefined || score.percent < WANTED_PERCENT) process.exitCode = 1;
  lines.push(`${group.name.padEnd(20)}${score === undefined ? 'failed' : describeScore(score)}`);
}
console.log(lines.join('\n'));

/** Undefined: Stryker failed. */
async function measureExpressions(group: MutationGroup): Promise<MutationScore | undefined> {
  await mkdir(REPORTS, { recursive: true });
  const config = join(REPORTS, `${group.name}.stryker.json`);
  const runner = join(STRYKER, 'jest-runner/dist/src/index.js');
  await writeFile(config, JSON.stringify(strykerOptions(group, concurrency, { runner, reports: REPORTS })));
  const exitCode = await runStage({
    command: process.execPath,
    args: [join(STRYKER, 'core/bin/stryker.js'), 'run', config],
    cwd: ROOT,
    quiet: false,
    limitMs: LIMIT_MS,
    clock: systemClock,
    report: (line) => console.log(`${group.name}: ${line}`),
  });
  return exitCode === 0 ? readScore(group.name) : undefined;
}

async function changedFiles(commit: string): Promise<readonly string[]> {
  const git = ['diff', '--name-only', '--end-of-options', commit, '--'];
  const { stdout } = await promisify(execFile)('git', git, { cwd: ROOT });
  return stdout.split('\n').filter((line) => line !== '');
}

async function readScore(name: string): Promise<MutationScore> {
  return scoreOf(JSON.parse(await readFile(join(REPORTS, `${name}.json`), 'utf8')));
}

function describeScore({ detected, timedOut, undetected, percent }: MutationScore): string {
  return `${percent.toFixed(1)} %  ${detected} of ${detected + undetected} mutants, ${timedOut} by timeout`;
}

function positive(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number above zero.');
  return value;
}
