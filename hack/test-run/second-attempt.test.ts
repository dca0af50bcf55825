import { expect, test } from '@jest/globals';
import { filesToRepeat, withSecondAttempt } from './second-attempt.ts';
import { tallyJest } from './tally.ts';

/** Jest's output of files with tests that passed and failed; a file without either could not run. */
function output(files: Readonly<Record<string, string>>): string {
  const results = Object.entries(files).map(([name, tests]) => ({
    name,
    status: /x|^$/.test(tests) ? 'failed' : 'passed',
    assertionResults: [...tests].map((mark) => ({ status: mark === 'x' ? 'failed' : 'passed' })),
  }));
  const all = Object.values(files).join('');
  const failed = all.replaceAll('.', '').length;
  const errors = Object.values(files).filter((tests) => tests === '').length;
  return JSON.stringify({
    success: failed + errors === 0,
    numPassedTests: all.length - failed,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: errors,
    testResults: results,
  });
}

test.each([
  { reason: 'all is well', files: { a: '..' }, repeated: [] },
  { reason: 'a file failed', files: { a: '..', b: '.x' }, repeated: ['b'] },
  { reason: 'a file could not run', files: { a: '..', b: '' }, repeated: ['b'] },
  { reason: 'so many failed that it is no chance', files: { a: 'x', b: 'x', c: 'x', d: 'x' }, repeated: [] },
])('files that run again: $reason', ({ files, repeated }) => {
  expect(filesToRepeat(output(files))).toEqual(repeated);
});

test('without an output no file runs again', () => {
  expect(filesToRepeat(undefined)).toEqual([]);
  expect(filesToRepeat('no JSON')).toEqual([]);
});

test.each([
  { reason: 'holds', second: { b: '...' }, tally: { passed: 5, failed: 0 } },
  { reason: 'fails again', second: { b: '..x' }, tally: { passed: 4, failed: 1 } },
  { reason: 'cannot even run', second: { b: '' }, tally: { passed: 2, failed: 1 } },
])('a file that failed counts as it did in the second attempt: it $reason', ({ second, tally }) => {
  const merged = withSecondAttempt(output({ a: '..', b: '.xx' }), output(second));
  expect(tallyJest(tally.failed, merged)).toEqual(tally);
});

test('a file that could not run counts by its second attempt', () => {
  const merged = withSecondAttempt(output({ a: '..', b: '' }), output({ b: '...' }));
  expect(tallyJest(0, merged)).toEqual({ passed: 5, failed: 0 });
});

test('a failed second attempt changes nothing', () => {
  const first = output({ a: '..', b: '.x' });
  expect(withSecondAttempt(first, undefined)).toBe(first);
});
