import { describe, expect, test } from '@jest/globals';
import { tallyCheck, tallyJest } from './tally.ts';

const output = (passed: number, failed: number, brokenFiles: number, success: boolean, todo = 0): string =>
  JSON.stringify({
    success,
    numPassedTests: passed,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: brokenFiles,
    numPendingTests: 5,
    numTodoTests: todo,
  });

describe('a Jest run counts', () => {
  test.each([
    ['each test once, skipped ones not at all', 0, output(12, 0, 0, true), 12, 0],
    ['each failed test', 1, output(10, 2, 0, false), 10, 2],
    ['a file that cannot run as a failure beside the failed tests', 1, output(10, 1, 2, false), 10, 3],
    ['an exit code that no test explains as a failure', 1, output(10, 0, 0, true), 10, 1],
    ['a verdict that no test explains as a failure', 0, output(10, 0, 0, false), 10, 1],
    ['as failed where nothing ran at all', 0, output(0, 0, 0, true), 0, 1],
    ['no test where all of them say why they cannot run', 0, output(0, 0, 0, true, 1), 0, 0],
    ['as failed where it left no result', 0, undefined, 0, 1],
    ['as failed where its result is cut off', 137, '{"success":', 0, 1],
  ])('%s', (_reason, exitCode, text, passed, failed) => {
    expect(tallyJest(exitCode, text)).toEqual({ passed, failed });
  });
});

test('a check counts as one, by its exit code', () => {
  expect(tallyCheck(0)).toEqual({ passed: 1, failed: 0 });
  expect(tallyCheck(2)).toEqual({ passed: 0, failed: 1 });
});
