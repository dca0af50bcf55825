import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDeps } from '../../../../framework/base/deps.ts';
import { type Loopback, listenOnLoopback } from '../../../../framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import type { CallbackMessage } from '../model/task.ts';
import { createHttpCallbacks, type HttpCallbacks, messageBody } from './http-callbacks.ts';

const message: CallbackMessage = { status: 'success', error: '', retryID: 'r', processingDuration: 7 };
const received: { url: string | undefined; body: unknown }[] = [];
let answer: { status: number; body: string } = { status: 200, body: '' };
const listener = createServer(async (request, response) => {
  received.push({ url: request.url, body: JSON.parse(await text(request)) });
  response.writeHead(answer.status).end(answer.body);
});
let server: Loopback;
let url = '';
let callbacks: HttpCallbacks;
beforeAll(async () => {
  server = await listenOnLoopback(listener);
  url = `${server.url}/v1/operations/s/callback/c?token=t%2B`;
  callbacks = createHttpCallbacks(createDeps());
});
afterAll(async () => {
  await callbacks.close();
  await server.close();
});

const never = new AbortController().signal;
const refusal = '{"error":"it has ended"}';

test.each([
  { status: 200, body: '', want: 'delivered' },
  { status: 201, body: '{}', want: 'undelivered' },
  { status: 400, body: refusal, want: 'refused' },
  { status: 403, body: refusal, want: 'refused' },
  { status: 404, body: refusal, want: 'superseded' },
  { status: 404, body: 'no route', want: 'undelivered' },
  { status: 409, body: refusal, want: 'superseded' },
  { status: 500, body: refusal, want: 'undelivered' },
])('[R47] a report that is answered with $status $body is $want', async ({ want, ...given }) => {
  answer = given;
  received.length = 0;
  expect(await callbacks.to(url, nopLogger)(message, never)).toBe(want);
  expect(received).toEqual([{ url: '/v1/operations/s/callback/c?token=t%2B', body: message }]);
});

test('a mothership that cannot be reached is no error, and neither is a task without a callback URL', async () => {
  expect(await callbacks.to('http://127.0.0.1:1/', nopLogger)(message, never)).toBe('undelivered');
  expect(await callbacks.to('', nopLogger)(message, never)).toBe('delivered');
});

test('a body is within the limits of the mothership, whatever a cluster says', () => {
  const hostile = '\u0001\0\ud800"'.repeat(100_000);
  const body = messageBody({
    ...message,
    error: hostile,
    manifest: hostile,
    progress: { attempt: 1, message: hostile.slice(0, 1000) },
  });
  expect(Buffer.byteLength(body)).toBeLessThan(100_000);
  const parsed: { error: string } = JSON.parse(body);
  expect(parsed.error.isWellFormed()).toBe(true);
  expect(parsed.error).not.toContain('\0');
});
