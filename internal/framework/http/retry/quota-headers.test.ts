import { expect, test } from '@jest/globals';
import { isRateLimited, parseQuota, requestedPause } from './quota-headers.ts';

const now = Date.UTC(2024, 0, 1);
const quota = (remaining: number, seconds: number) => ({ remaining, resetMs: seconds * 1000 });

test.each<[string, Record<string, string>, ReturnType<typeof quota> | undefined]>([
  ['one field with parameters', { ratelimit: '"default";r=50;t=30' }, quota(50, 30)],
  ['one field, as older drafts have it', { ratelimit: 'limit=100, remaining=50, reset=30' }, quota(50, 30)],
  ['one field with spaces', { ratelimit: 'r = 50 ;t = 30' }, quota(50, 30)],
  ['one field in the other order', { ratelimit: 't=30 r=50' }, quota(50, 30)],
  ['names that end as those do', { ratelimit: 'q;xr=50;xt=30' }, undefined],
  ['numbers that are too long', { ratelimit: 'r=1234567890123456;t=1' }, undefined],
  [
    'the newer field, beside others',
    { ratelimit: 'r=1;t=2', 'ratelimit-remaining': '3', 'ratelimit-reset': '4' },
    quota(1, 2),
  ],
  ['spaces around a number', { 'ratelimit-remaining': ' 7 ', 'ratelimit-reset': '\t9' }, quota(7, 9)],
  [
    'many spaces around a number',
    { 'ratelimit-remaining': `7${' '.repeat(9)}`, 'ratelimit-reset': '9' },
    undefined,
  ],
  ['a word before a number', { 'ratelimit-remaining': 'a7', 'ratelimit-reset': '9' }, undefined],
  ['a word after a number', { 'ratelimit-remaining': '7', 'ratelimit-reset': '9s' }, undefined],
  ['a point without digits', { 'ratelimit-remaining': '7.', 'ratelimit-reset': '9' }, undefined],
  ['a field each', { 'ratelimit-remaining': '7', 'ratelimit-reset': '9' }, quota(7, 9)],
  ['the usual names', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12.543' }, quota(0, 12)],
  [
    'a reset as time',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 20) },
    quota(0, 20),
  ],
  [
    'a reset that has passed',
    { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(now / 1000 - 20) },
    quota(3, 0),
  ],
  [
    'the least reset that is a time',
    { 'ratelimit-remaining': '3', 'ratelimit-reset': '1000000000' },
    quota(3, 0),
  ],
  [
    'the longest reset that is no time',
    { 'ratelimit-remaining': '3', 'ratelimit-reset': '999999999' },
    quota(3, 900),
  ],
  ['a reset in a year', { 'ratelimit-remaining': '0', 'ratelimit-reset': '31536000' }, quota(0, 900)],
  ['no header', {}, undefined],
  ['half of it', { 'ratelimit-remaining': '7' }, undefined],
  ['words', { 'ratelimit-remaining': 'none', 'ratelimit-reset': 'soon' }, undefined],
  ['a negative number', { 'ratelimit-remaining': '-1', 'ratelimit-reset': '9' }, undefined],
  ['a long text', { ratelimit: `${' '.repeat(100_000)}r=1;t=1` }, undefined],
])('what is left is read from %s', (_, headers, wanted) => {
  expect(parseQuota(headers, now)).toEqual(wanted);
});

const left = (remaining: string) => ({ 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': '20' });

test.each<
  [
    what: string,
    status: number,
    headers: Record<string, string>,
    isLimited: boolean,
    pauseMs: number | undefined,
  ]
>([
  ['429', 429, {}, true, 5000],
  ['429 with a time', 429, { 'retry-after': '7' }, true, 7000],
  [
    '429 with a date, by the clock of the server',
    429,
    { 'retry-after': 'Mon, 01 Jan 2024 12:00:09 GMT', date: 'Mon, 01 Jan 2024 12:00:00 GMT' },
    true,
    9000,
  ],
  ['429 with no request left', 429, left('0'), true, 20_000],
  ['429 with requests left', 429, left('1'), true, 5000],
  ['429 with no request left until now', 429, { ...left('0'), 'x-ratelimit-reset': '0' }, true, 1000],
  ['403', 403, {}, false, undefined],
  ['403 with requests left', 403, left('1'), false, undefined],
  ['403 with no request left', 403, left('0'), true, 20_000],
  ['403 with a time', 403, { 'retry-after': '7' }, true, 7000],
  ['503', 503, {}, false, undefined],
  ['503 with a time', 503, { 'retry-after': '7' }, false, 7000],
  ['503 with no request left', 503, left('0'), false, undefined],
  ['500 with a time', 500, { 'retry-after': '7' }, false, undefined],
])('%s: whether it is a rate limit, and how long to wait', (_, status, headers, isLimited, pauseMs) => {
  const response = { status, headers };
  expect([isRateLimited(response, now), requestedPause(response, now, 5000)]).toEqual([isLimited, pauseMs]);
});
