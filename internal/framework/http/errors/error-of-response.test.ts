import { expect, test } from '@jest/globals';
import { ThrottledError } from '../../base/errors/errors.ts';
import { errorOfResponse } from './error-of-response.ts';

const context = { route: 'GET /buckets', scrub: (text: string) => text, nowMs: 0 };
const asked = { 'retry-after': '7' };

test.each<[number, Readonly<Record<string, string>>, number | undefined]>([
  [429, asked, 7000],
  [503, asked, 7000],
  [429, {}, 5000],
  [429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }, 20_000],
  // GitHub says 403 when a limit is exceeded.
  [403, asked, 7000],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }, 20_000],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' }, 1000],
  // An outage of unknown length, and a fault: both with the backoff of the caller.
  [503, {}, undefined],
  [500, asked, undefined],
])('%d with the headers %j is repeated after the time that is asked for: %j ms', (status, headers, ms) => {
  const error = errorOfResponse({ status, headers, body: '{}' }, context);
  expect(error instanceof ThrottledError ? error.retryAfterMs : undefined).toBe(ms);
  expect(error.kind).toBe(ms === undefined ? 'transient' : 'throttled');
});

test.each([{}, { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '20' }])(
  'a 403 with the headers %j refuses the credentials',
  (headers) => {
    expect(errorOfResponse({ status: 403, headers, body: '{}' }, context).kind).toBe('auth');
  },
);

test.each([
  { of: 'the API', headers: {}, body: '{"message":"no such bucket"}', kind: 'not-found' },
  { of: 'a router', headers: { 'x-cf-routererror': 'unknown_route' }, body: '{}', kind: 'transient' },
  { of: 'a page', headers: {}, body: '<html></html>', kind: 'transient' },
])('a 404 of $of is $kind', ({ headers, body, kind }) => {
  expect(errorOfResponse({ status: 404, headers, body }, context).kind).toBe(kind);
});

test('a secret that the API has as its code is masked wherever the code goes', () => {
  const scrub = (text: string) => text.replaceAll('hunter2', '[redacted]');
  const body = JSON.stringify({ code: 'hunter2', message: 'refused' });
  const error = errorOfResponse({ status: 400, headers: {}, body }, { ...context, scrub });
  expect([error.message, 'code' in error && error.code]).toEqual([
    'GET /buckets answered 400: [redacted]: refused',
    '[redacted]',
  ]);
});

test('a long message is cut after its secrets are masked, so that no part of one is left', () => {
  const secret = 'hunter2-hunter2';
  const scrub = (text: string) => text.replaceAll(secret, '[redacted]');
  for (let length = 180; length <= 205; length++) {
    const body = JSON.stringify({ message: `${'x'.repeat(length)}${secret}` });
    const { message } = errorOfResponse({ status: 500, headers: {}, body }, { ...context, scrub });
    expect(message).not.toContain('hu');
  }
});

test.each([
  ['https://login.example.com/hunter2?code=1', ', a redirect to login.example.com, which is not followed'],
  ['https://hunter2.example.com/', ', a redirect to x.example.com, which is not followed'],
  ['/login', ', a redirect, which is not followed'],
])('of the redirect to %s only the host is told, masked', (location, told) => {
  const scrub = (text: string) => text.replaceAll('hunter2', 'x');
  const error = errorOfResponse({ status: 302, headers: { location }, body: '' }, { ...context, scrub });
  expect(error.message).toBe(`GET /buckets answered 302${told}`);
});
