/** What responses mean for the rate limit of a client. */
import { expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { LimitedCall } from '../limits/rate-limit.ts';
import type { HttpResponse } from '../transport/send-request.ts';
import type { HttpCall } from './http-client.ts';
import { rateLimitedHttpClient } from './rate-limited-http-client.ts';

const { signal } = new AbortController();
const MINUTE = 60_000;

/** Sends one request. @returns what the limit is told, in order, and what the caller gets */
async function send(answer: HttpResponse | Error, isFromBehind?: (response: HttpResponse) => boolean) {
  const told: unknown[] = [];
  const limited: LimitedCall = {
    beforeSend: () => void told.push('before the request'),
    answered: (quota) => void told.push(['answered', quota]),
    refused: (retryAfterMs) => void told.push(['refused', retryAfterMs]),
    failed: () => void told.push('failed'),
  };
  const http = rateLimitedHttpClient({
    clock: createFakeClock(),
    limit: { enter: async () => limited },
    http: {
      send: async ({ dispatcher }) => {
        dispatcher();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    ...(isFromBehind === undefined ? {} : { isFromBehind }),
  });
  const call: HttpCall = {
    route: 'GET /v1/a',
    request: { method: 'GET', url: new URL('https://api.example.org/v1/a'), headers: {} },
    dispatcher: () => {
      told.push('request');
      return {} as Dispatcher;
    },
  };
  const got = await http.send(call, signal).catch((error: unknown) => error);
  expect(told.splice(0, 2)).toEqual(['before the request', 'request']);
  expect(got).toBe(answer);
  return told;
}

const response = (status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
  ...{ status, headers, body: '' },
});
const quota = { 'ratelimit-remaining': '3', 'ratelimit-reset': '20' };

test.each<[what: string, answer: HttpResponse | Error, told: unknown]>([
  ['a 429 that says how long', response(429, { 'retry-after': '7' }), ['refused', 7000]],
  ['a 429 that says very long', response(429, { 'retry-after': '86400' }), ['refused', 15 * MINUTE]],
  ['a 429 with the end of the quota', response(429, quota), ['refused', 20_000]],
  ['a 429 that says nothing', response(429), ['refused', undefined]],
  ['a 403 that says how long', response(403, { 'retry-after': '7' }), ['refused', 7000]],
  [
    'a 403 with the end of a quota that is used up',
    response(403, { ...quota, 'ratelimit-remaining': '0' }),
    ['refused', 20_000],
  ],
  ['a 403 with a quota', response(403, quota), ['answered', { remaining: 3, resetMs: 20_000 }]],
  ['a success that says what is left', response(200, quota), ['answered', { remaining: 3, resetMs: 20_000 }]],
  ['an error that says nothing', response(503), ['answered', undefined]],
  ['no response', new Error('no response'), 'failed'],
])('%s', async (_, answer, told) => {
  expect(await send(answer)).toEqual([told]);
});

test('a 429 of another system behind the API limits no other request of the client', async () => {
  const answer = response(429, { 'retry-after': '7', 'x-broker': 'yes' });
  expect(await send(answer, ({ headers }) => headers['x-broker'] !== undefined)).toEqual([
    ['answered', undefined],
  ]);
  expect(await send(answer, () => false)).toEqual([['refused', 7000]]);
});
