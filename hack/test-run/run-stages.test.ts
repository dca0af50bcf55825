import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { runStages, type StageEnd } from './run-stages.ts';
import type { Stage } from './stages.ts';

const LINT: Stage = { name: 'lint', script: 'lint', limitMinutes: 1 };
const TESTS: Stage = { name: 'tests', script: 'test', jest: true, limitMinutes: 1 };
const jestOutput = JSON.stringify({
  success: true,
  numPassedTests: 40,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [{ name: '/checkout/long.test.ts', startTime: 0, endTime: 30_000 }],
});

async function runWith(ends: Readonly<Record<string, StageEnd>>) {
  const ran: string[] = [];
  const lines: string[] = [];
  const exitCode = await runStages({
    rounds: [[[LINT, TESTS]]],
    run: async ({ script }) => {
      ran.push(script);
      return ends[script] ?? { exitCode: 127 };
    },
    print: (line) => lines.push(line),
    clock: createFakeClock(),
    root: '/checkout',
    before: { passed: 1, failed: 0 },
  });
  return { ran, lines, exitCode };
}

test('the last line is the sum of all stages, alone', async () => {
  const { lines, exitCode } = await runWith({ lint: { exitCode: 0 }, test: { exitCode: 0, jestOutput } });

  expect(lines.at(-1)).toBe('42 passed, 0 failed');
  expect(exitCode).toBe(0);
});

test('a failed stage keeps no later one from running, and fails the whole', async () => {
  const { ran, lines, exitCode } = await runWith({
    lint: { exitCode: 1 },
    test: { exitCode: 0, jestOutput },
  });

  expect(ran).toEqual(['lint', 'test']);
  expect(lines.at(-1)).toBe('41 passed, 1 failed');
  expect(exitCode).toBe(1);
});

describe('a stage whose failed files run once more', () => {
  const file = (name: string, ...statuses: string[]) => ({
    name: `/checkout/${name}.test.ts`,
    status: statuses.includes('failed') ? 'failed' : 'passed',
    startTime: 0,
    endTime: 1,
    assertionResults: statuses.map((status) => ({ status })),
  });
  const endOf = (...testResults: ReturnType<typeof file>[]): StageEnd => {
    const count = (wanted: string) =>
      testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ status }) => status === wanted).length;
    const [numPassedTests, numFailedTests] = [count('passed'), count('failed')];
    const counts = { numPassedTests, numFailedTests, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
    const success = numFailedTests === 0;
    return { exitCode: success ? 0 : 1, jestOutput: JSON.stringify({ success, ...counts, testResults }) };
  };
  const first = endOf(file('a', 'passed', 'passed'), file('b', 'passed', 'failed'));

  async function runTwice(again: number, second: StageEnd) {
    const ran: (string | undefined)[] = [];
    const lines: string[] = [];
    const exitCode = await runStages({
      rounds: [[[{ ...TESTS, again }]]],
      run: async (_stage, file) => {
        ran.push(file);
        return file === undefined ? first : second;
      },
      print: (line) => lines.push(line),
      clock: createFakeClock(),
      root: '/checkout',
    });
    return { ran, lines, exitCode };
  }

  test('passes if they pass then, and names them', async () => {
    const { ran, lines, exitCode } = await runTwice(1, endOf(file('b', 'passed', 'passed')));
    expect(ran).toEqual([undefined, '/checkout/b.test.ts']);
    expect(lines).toContain('        failed beside others, passed alone: b.test.ts');
    expect(lines.at(-1)).toBe('4 passed, 0 failed');
    expect(exitCode).toBe(0);
  });

  test('fails if one of them fails again, or cannot run', async () => {
    const { lines, exitCode } = await runTwice(1, endOf(file('b', 'passed', 'failed')));
    expect(lines.at(-1)).toBe('3 passed, 1 failed');
    expect(lines.join('\n')).not.toContain('passed alone');
    expect(exitCode).toBe(1);
    expect((await runTwice(1, { exitCode: 1 })).exitCode).toBe(1);
  });

  test('fails at once if more files failed than may run again', async () => {
    const { ran, lines } = await runTwice(0, endOf(file('b', 'passed', 'passed')));
    expect(ran).toEqual([undefined]);
    expect(lines.at(-1)).toBe('3 passed, 1 failed');
  });
});

test('the table names the verdict of each stage, and the files that took longest', async () => {
  const { lines } = await runWith({ lint: { exitCode: 1 }, test: { exitCode: 0, jestOutput } });

  expect(lines).toContainEqual(expect.stringMatching(/^FAILED {2}lint /));
  expect(lines).toContainEqual(expect.stringMatching(/^ok {6}tests .* 40 passed, 0 failed$/));
  expect(lines).toContainEqual(expect.stringMatching(/30\.0 s {2}long\.test\.ts$/));
});

test('lanes of a round run side by side, and the next round after all of them', async () => {
  const ends = new Map<Stage, () => void>();
  const clock = createFakeClock();
  const [third, fourth] = [
    { ...LINT, name: 'third' },
    { ...LINT, name: 'fourth' },
  ];
  const exitCode = runStages({
    rounds: [[[LINT, third], [TESTS]], [[fourth]]],
    run: (stage) => new Promise((resolve) => ends.set(stage, () => resolve({ exitCode: 0, jestOutput }))),
    print: () => undefined,
    clock,
    root: '/checkout',
  });
  const running = () => [...ends.keys()].map(({ name }) => name);

  expect(running()).toEqual(['lint', 'tests']);
  ends.get(LINT)?.();
  ends.get(TESTS)?.();
  await clock.advance(0);
  expect(running()).toEqual(['lint', 'tests', 'third']);
  ends.get(third)?.();
  await clock.advance(0);
  expect(running()).toEqual(['lint', 'tests', 'third', 'fourth']);
  ends.get(fourth)?.();
  expect(await exitCode).toBe(0);
});
