/**
 * Proves the guards (`make test-faults ARGS='--only guards'`): plants one fault after the other, runs tests that meet it, and
 * prints guard × module: planted, found by the guard, by tests alone, by none. At the end it runs the tests of violations that
 * a usual run cannot meet. Fails unless the guard finds every fault.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inParallel } from '../../../internal/framework/base/concurrency/in-parallel.ts';
import { identityOf, knownViolations } from '../../../test/guards/violations.ts';
import type { Fault } from './faults/fault.ts';
import { FAULTS } from './faults/faults.ts';
import { type Finding, findingOf } from './finding.ts';
import { plant } from './operators.ts';
import { ROOT, runTests } from './run-tests.ts';

const { values } = parseArgs({
  options: {
    guard: { type: 'string', multiple: true },
    module: { type: 'string', multiple: true },
    /** Faults at a time, each in a process of its own. */
    concurrency: { type: 'string', default: '2' },
  },
});
const isWanted = ({ guard, module }: { readonly guard: string; readonly module: string }) =>
  (values.guard?.includes(guard) ?? true) && (values.module?.includes(module) ?? true);

async function find({ guard, file, function: name, operator, tests }: Fault): Promise<Finding> {
  const source = plant(readFileSync(join(ROOT, file), 'utf8'), name, operator);
  return findingOf(guard, await runTests(tests, { file, source }));
}

const rowOf = ({ guard, module }: Pick<Fault, 'guard' | 'module'>) =>
  `${guard.padEnd(20)}${module.padEnd(24)}`;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const faults = FAULTS.filter(isWanted);
const findings = new Map<Fault, Finding>();
await inParallel(faults, Number(values.concurrency), async (fault) => {
  const finding = await find(fault);
  findings.set(fault, finding);
  const { kind, ...of } = fault.operator;
  console.log(
    `${finding.padEnd(12)}${rowOf(fault)}${fault.file}#${fault.function}: ${kind} ${JSON.stringify(of)}`,
  );
  if (finding !== 'guard') process.exitCode = 1;
});

console.log(`\n${'guard'.padEnd(20)}${'module'.padEnd(24)}planted  guard  test  none`);
for (const row of new Set(faults.map(rowOf))) {
  const found = faults.filter((fault) => rowOf(fault) === row).map((fault) => findings.get(fault));
  const count = (...of: readonly Finding[]) =>
    found.filter((each) => each !== undefined && of.includes(each)).length;
  const columns = [found.length, count('guard'), count('test'), count('none', 'not loaded')];
  console.log(row + columns.map((n, index) => String(n).padStart(index === 0 ? 7 : 6)).join(''));
}

for (const violation of knownViolations.filter((each) => each.tier === 'night' && isWanted(each))) {
  const [folder = ''] = violation.where.split('/reconciler.ts');
  if (!(await runTests(folder, undefined, { GUARDS_ALL_COPIES: '1' })).success) continue;
  console.log(`delete from test/guards/known.yaml: ${identityOf(violation)}`);
  process.exitCode = 1;
}
