import { expect, test } from '@jest/globals';
import { retryAfterMs } from './retry-after.ts';

const now = Date.UTC(2024, 0, 1, 12, 0, 0);
const http = (seconds: number) => new Date(now + seconds * 1000).toUTCString();

const cases: readonly [reason: string, headers: Record<string, string>, ms: number | undefined][] = [
  ['seconds', { 'retry-after': '17' }, 17_000],
  ['seconds with spaces around', { 'retry-after': ' 17 ' }, 17_000],
  ['a date counts from now', { 'retry-after': http(30) }, 30_000],
  [
    'a date counts from the server’s own clock, which may differ',
    { 'retry-after': http(630), date: http(600) },
    30_000,
  ],
  ['a date in the past must not become a loop', { 'retry-after': http(-30) }, 1000],
  ['zero must not become a loop', { 'retry-after': '0' }, 1000],
  ['a year must be a mistake', { 'retry-after': '31536000' }, 3_600_000],
  ['none', {}, undefined],
  ['empty', { 'retry-after': '' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['a negative number, which Date.parse takes for a year', { 'retry-after': '-1' }, undefined],
  ['a fraction, which Date.parse takes for a day', { 'retry-after': '1.5' }, undefined],
];
test.each(cases)('%s', (_reason, headers, ms) => {
  expect(retryAfterMs(headers, now)).toBe(ms);
});
