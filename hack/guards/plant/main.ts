/**
 * Proves the guards (`make test-faults ARGS='--only guards'`): plants one fault after the other, runs tests that meet it, takes
 * it back, and prints guard × module: planted, found by the guard, by tests alone. At the end it runs the tests of violations
 * that a usual run cannot meet. Fails unless the guard finds every fault.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { identityOf, knownViolations } from '../../../test/guards/violations.ts';
import { FAULTS, type Fault } from './faults.ts';
import { plant } from './operators.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Folders of modules whose known violations need the night's run. */
const { values } = parseArgs({ options: { guard: { type: 'string' }, module: { type: 'string' } } });
const isWanted = ({ guard, module }: { readonly guard: string; readonly module: string }) =>
  (values.guard ?? guard) === guard && (values.module ?? module) === module;

type Finding = 'guard' | 'test' | 'none';

async function runTests(path: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const project = path.startsWith('test/integration/') ? 'integration' : 'unit';
  const folder = mkdtempSync(join(tmpdir(), 'plant-'));
  const output = join(folder, 'result.json');
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = [jest, path, '--selectProjects', project, '--json', `--outputFile=${output}`];
  try {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    await once(child, 'exit');
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function findingOf({ guard, file, function: name, operator, tests }: Fault): Promise<Finding> {
  const path = join(ROOT, file);
  const source = readFileSync(path, 'utf8');
  const restore = () => writeFileSync(path, source);
  process.once('exit', restore);
  try {
    writeFileSync(path, plant(source, name, operator));
    const result = await runTests(tests);
    if (result.includes(`  ${guard}: `)) return 'guard';
    return JSON.parse(result).success === true ? 'none' : 'test';
  } finally {
    restore();
    process.off('exit', restore);
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const counts = new Map<string, Record<Finding | 'planted', number>>();
for (const fault of FAULTS.filter(isWanted)) {
  const finding = await findingOf(fault);
  const row = `${fault.guard.padEnd(18)}${fault.module.padEnd(24)}`;
  const count = counts.get(row) ?? { planted: 0, guard: 0, test: 0, none: 0 };
  counts.set(row, { ...count, planted: count.planted + 1, [finding]: count[finding] + 1 });
  const { kind, ...of } = fault.operator;
  if (finding === 'guard') continue;
  console.log(`${fault.file} ${fault.function}: ${kind} ${JSON.stringify(of)}: ${finding}`);
  process.exitCode = 1;
}
console.log(`${'guard'.padEnd(18)}${'module'.padEnd(24)}planted  guard  test  none`);
for (const [row, { planted, guard, test, none }] of counts)
  console.log(
    `${row}${[planted, guard, test, none]
      .map(String)
      .map((n, i) => n.padStart(i === 0 ? 7 : 6))
      .join('')}`,
  );
for (const violation of knownViolations.filter((each) => each.tier === 'night' && isWanted(each))) {
  const [folder = ''] = violation.where.split('/reconciler.ts');
  const { success } = JSON.parse(await runTests(folder, { GUARDS_ALL_COPIES: '1' })) as {
    readonly success: boolean;
  };
  if (!success) continue;
  console.log(`delete from test/guards/known.yaml: ${identityOf(violation)}`);
  process.exitCode = 1;
}
