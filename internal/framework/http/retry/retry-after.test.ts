import { describe, expect, test } from '@jest/globals';
import { limitRetryAfter, MAX_RETRY_AFTER_MS } from '../../base/errors/errors.ts';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2024, 0, 1, 12, 0, 0);
const http = (seconds: number) => new Date(now + seconds * 1000).toUTCString();

interface Case {
  readonly reason: string;
  readonly value?: string;
  readonly date?: string;
  readonly ms: number | undefined;
}

const cases: Case[] = [
  { reason: 'no header', ms: undefined },
  { reason: 'empty', value: '', ms: undefined },
  { reason: 'seconds', value: '17', ms: 17_000 },
  { reason: 'seconds with spaces around', value: ' 17 ', ms: 17_000 },
  { reason: 'zero must not become a loop', value: '0', ms: 1000 },
  { reason: 'a day is limited', value: '86400', ms: 60_000 },
  { reason: 'more digits than a number has', value: '9'.repeat(400), ms: 60_000 },
  { reason: 'IMF-fixdate', value: 'Mon, 01 Jan 2024 12:00:30 GMT', ms: 30_000 },
  { reason: 'RFC 850', value: 'Monday, 01-Jan-24 12:00:30 GMT', ms: 30_000 },
  { reason: 'RFC 850 of the past century', value: 'Sunday, 06-Nov-94 08:49:37 GMT', ms: 1000 },
  { reason: 'asctime, which is UTC', value: 'Mon Jan  1 12:00:30 2024', ms: 30_000 },
  { reason: 'a date that has passed', value: http(-30), ms: 1000 },
  { reason: 'a date of the next year is limited', value: http(400 * 86_400), ms: 60_000 },
  { reason: 'a date counts from the clock of the server', value: http(630), date: http(600), ms: 30_000 },
  { reason: 'a Date that cannot be read', value: http(30), date: 'soon', ms: 30_000 },
  { reason: 'a time in UTC', value: '2024-01-01 12:00:30', ms: 30_000 },
  { reason: 'a time as Go prints it', value: '2024-01-01 12:00:30.5 +0000 UTC m=+1', ms: 30_000 },
  { reason: 'a time in UTC that has passed', value: '2023-12-31 23:59:59', ms: 1000 },
  { reason: 'a cut time', value: '2024-01-01 12:00', ms: undefined },
  { reason: 'an unknown month', value: 'Mon, 01 Foo 2024 12:00:30 GMT', ms: undefined },
  { reason: 'words', value: 'soon', ms: undefined },
  { reason: 'a negative number, which Date.parse takes for a year', value: '-1', ms: undefined },
  { reason: 'a fraction, which Date.parse takes for a day', value: '1.5', ms: undefined },
  { reason: 'two values', value: '1, 2', ms: undefined },
];
const DATES = ['Mon, 01 Jan 2024 12:00:30 GMT', 'Monday, 01-Jan-24 12:00:30 GMT', 'Mon Jan  1 12:00:30 2024'];
for (const value of DATES) {
  cases.push({ reason: 'text before a date', value: `x${value}`, ms: undefined });
  cases.push({ reason: 'text after a date', value: `${value}x`, ms: undefined });
  cases.push({ reason: 'letters in a date', value: value.replace('30', 'aa'), ms: undefined });
}
cases.push(
  { reason: 'text before a time', value: 'x2024-01-01 12:00:30', ms: undefined },
  { reason: 'a time with a further digit', value: '2024-01-01 12:00:300', ms: undefined },
  { reason: 'a time with a further colon', value: '2024-01-01 12:00:30:00', ms: undefined },
  { reason: 'digits and letters', value: '17s', ms: undefined },
  { reason: 'letters and digits', value: 's17', ms: undefined },
);
test.each(cases)('$reason: $value', ({ value, date, ms }) => {
  expect(parseRetryAfter({ retryAfter: value, date }, now)).toBe(ms);
});

describe('a value of 1 MiB is read in little time', () => {
  test.each(['9', ' ', 'Mon, ', 'Mon, 01 Jan 2024 12:00:30 GMT '])('of %j', (part) => {
    const value = part.repeat(Math.ceil(2 ** 20 / part.length));
    // Of this thread's processor time: what else the machine does says nothing.
    const before = process.threadCpuUsage();
    parseRetryAfter({ retryAfter: value, date: value }, now);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

test.each([...Array(12).keys()])('month %p of a date', (month) => {
  const at = Date.UTC(2024, month, 1, 12, 0, 0);
  expect(parseRetryAfter({ retryAfter: new Date(at + 30_000).toUTCString() }, at)).toBe(30_000);
});

describe('every field of a time counts', () => {
  const at = Date.UTC(2023, 11, 31, 23, 59, 50);
  test.each([
    ['Mon, 01 Jan 2024 00:00:03 GMT', 13_000],
    ['Sun, 31 Dec 2023 23:59:57 GMT', 7000],
    ['Sunday, 31-Dec-23 23:59:57 GMT', 7000],
    ['Sun Dec 31 23:59:57 2023', 7000],
    ['2023-12-31 23:59:57', 7000],
  ])('%s', (value, ms) => {
    expect(parseRetryAfter({ retryAfter: value }, at)).toBe(ms);
  });
});

test.each([
  ['74', 60_000],
  ['75', 1000],
])('a year 20%s is at most 50 years from 2024, else in the past century', (year, ms) => {
  expect(parseRetryAfter({ retryAfter: `Monday, 01-Jan-${year} 12:00:30 GMT` }, now)).toBe(ms);
});

test('the limit can be another one', () => {
  expect(parseRetryAfter({ retryAfter: '300' }, now, 120_000)).toBe(120_000);
  expect(parseRetryAfter({ retryAfter: '2099-01-01 00:00:00' }, now, 120_000)).toBe(120_000);
});

test.each([
  [700, 700],
  [86_400_000, MAX_RETRY_AFTER_MS],
  [Number.POSITIVE_INFINITY, MAX_RETRY_AFTER_MS],
  [-5, 0],
  [Number.NaN, 0],
])('a wait of %p ms from elsewhere is limited to %p ms', (ms, limited) => {
  expect(limitRetryAfter(ms)).toBe(limited);
});
