import { expect, test } from '@jest/globals';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2024, 0, 1, 12, 0, 0);

test.each<[string | undefined, number | undefined, string]>([
  [undefined, undefined, 'no header'],
  ['0', 0, 'at once'],
  [' 7 ', 7000, 'seconds'],
  ['Mon, 01 Jan 2024 12:00:30 GMT', 30_000, 'a date'],
  ['Mon, 01 Jan 2024 11:00:00 GMT', 0, 'a date that has passed'],
  ['soon', undefined, 'not to be understood'],
  ['99999999999', undefined, 'longer than any clock'],
])('%j means %p: %s', (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected);
});
