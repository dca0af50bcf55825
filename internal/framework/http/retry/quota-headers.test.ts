import { expect, test } from '@jest/globals';
import { parseQuota } from './quota-headers.ts';

const now = Date.UTC(2024, 0, 1);
const quota = (remaining: number, seconds: number) => ({ remaining, resetMs: seconds * 1000 });

test.each<[string, Record<string, string>, ReturnType<typeof quota> | undefined]>([
  ['one field with parameters', { ratelimit: '"default";r=50;t=30' }, quota(50, 30)],
  ['one field, as older drafts have it', { ratelimit: 'limit=100, remaining=50, reset=30' }, quota(50, 30)],
  ['a field each', { 'ratelimit-remaining': '7', 'ratelimit-reset': '9' }, quota(7, 9)],
  ['the usual names', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12.5' }, quota(0, 12)],
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
  ['a reset in a year', { 'ratelimit-remaining': '0', 'ratelimit-reset': '31536000' }, quota(0, 900)],
  ['no header', {}, undefined],
  ['half of it', { 'ratelimit-remaining': '7' }, undefined],
  ['words', { 'ratelimit-remaining': 'none', 'ratelimit-reset': 'soon' }, undefined],
  ['a negative number', { 'ratelimit-remaining': '-1', 'ratelimit-reset': '9' }, undefined],
  ['a long text', { ratelimit: `${' '.repeat(100_000)}r=1;t=1` }, undefined],
])('what is left is read from %s', (_, headers, wanted) => {
  expect(parseQuota(headers, now)).toEqual(wanted);
});
