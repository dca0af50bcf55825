import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

test('what Node throws is an Error in tests as it is in production', () => {
  const error = thrownBy(() => readFileSync('missing'));

  expect(error instanceof Error).toBe(true);
  expect(error instanceof TypeError).toBe(false);
});

test('an outer TypeError is one here too, and an Error', () => {
  const error: unknown = runInThisContext('new TypeError()');

  expect(error instanceof TypeError).toBe(true);
  expect(error instanceof Error).toBe(true);
  expect(error instanceof RangeError).toBe(false);
});

test('instanceof works for classes of the tests', () => {
  class Own extends Error {}

  expect(new Own() instanceof Own).toBe(true);
  expect(new Own() instanceof Error).toBe(true);
  expect(thrownBy(() => readFileSync('missing')) instanceof Own).toBe(false);
  expect(new Error() instanceof Own).toBe(false);
});
