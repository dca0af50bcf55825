/** What the outcome of a request means for the host, the circuit breaker, metrics and messages. */
import { expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { createDeps } from '../../base/deps.ts';
import { ThrottledError } from '../../base/errors/errors.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { NoResponseError } from '../errors/errors.ts';
import { createHttpClient } from './http-client.ts';

const TIMEOUT_MS = 10_000;
const QUICK_MS = 10;
const LATE_MS = 3000;
const route = 'GET /v1/a';

interface Answer {
  /** Undefined: there is no response. */
  readonly status?: number;
  readonly error?: Error;
  readonly afterMs?: number;
}

function setUp() {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const told: string[] = [];
  const slots = { taken: 0 };
  const http = createHttpClient({
    ...createDeps({ clock, random: () => 0.5, metrics }),
    ...{ system: 'bucket', callTimeoutMs: TIMEOUT_MS, maxResponseBytes: 1000 },
    slots: {
      acquire: async () => {
        slots.taken++;
        return () => void slots.taken--;
      },
    },
    hostSlots: {
      succeeded: () => void told.push('succeeded'),
      failedSlowly: () => void told.push('failed slowly'),
    },
  });
  const dispatcherOf = ({ status, error, afterMs = QUICK_MS }: Answer): Dispatcher => {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
      handler.onRequestStart?.(controller, {});
      clock.after(afterMs, () => {
        if (error !== undefined) handler.onResponseError?.(controller, error);
        if (status === undefined) return;
        handler.onResponseStart?.(controller, status, {}, '');
        handler.onResponseEnd?.(controller, {});
      });
      return true;
    };
    return { dispatch } as unknown as Dispatcher;
  };
  const send = async (answer: Answer, { abortsAfterMs }: { readonly abortsAfterMs?: number } = {}) => {
    const caller = new AbortController();
    if (abortsAfterMs !== undefined) clock.after(abortsAfterMs, () => caller.abort(new Error('not wanted')));
    const request = { method: 'GET', url: new URL('https://api.example.org/v1/a'), headers: {} } as const;
    const sent = http
      .send({ route, request, dispatcher: () => dispatcherOf(answer) }, caller.signal)
      .catch((thrown: unknown) => thrown);
    const { status, error, afterMs = QUICK_MS } = answer;
    await clock.advance(status === undefined && error === undefined ? TIMEOUT_MS : afterMs);
    return sent;
  };
  /** How often a request has ended with this code. */
  const count = (code: string) =>
    metrics.value('provider_kyma_external_calls_total', { system: 'bucket', route, code });
  const inFlight = () => metrics.value('provider_kyma_external_calls_in_flight', { system: 'bucket' });
  return { http, clock, told, slots, send, count, inFlight };
}

const failure = (code: string, message = code) => Object.assign(new Error(message), { code });

test.each<[what: string, answer: Answer, code: string, told: readonly string[], opens: boolean]>([
  ['a success', { status: 200 }, '200', ['succeeded'], false],
  ['a refusal', { status: 404 }, '404', ['succeeded'], false],
  ['an error', { status: 503 }, '503', [], false],
  ['a late success', { status: 200, afterMs: LATE_MS }, '200', ['succeeded'], false],
  ['a late refusal', { status: 404, afterMs: LATE_MS }, '404', ['succeeded'], true],
  ['a late error', { status: 503, afterMs: LATE_MS }, '503', ['failed slowly'], true],
  ['no response in time', {}, 'timeout', ['failed slowly'], true],
  [
    'no connection in time',
    { error: failure('UND_ERR_CONNECT_TIMEOUT'), afterMs: 5000 },
    'connect_timeout',
    ['failed slowly'],
    true,
  ],
  ['a connection that is refused', { error: failure('ECONNREFUSED') }, 'connection_refused', [], false],
])('%s', async (_, answer, code, told, opens) => {
  const h = setUp();
  await h.send(answer);
  expect([h.count(code), h.told, h.inFlight(), h.slots.taken]).toEqual([1, told, 0, 0]);
  for (let sent = 1; sent < 5; sent++) await h.send(answer);
  expect((await h.send(answer)) instanceof ThrottledError).toBe(opens);
});

test('of slow failures in a row, a late success is no end, and a quick one is', async () => {
  const failing = async (h: ReturnType<typeof setUp>, times: number) => {
    for (let sent = 0; sent < times; sent++) await h.send({});
  };
  for (const [afterMs, opens] of [
    [LATE_MS, true],
    [QUICK_MS, false],
  ] as const) {
    const h = setUp();
    await failing(h, 4);
    await h.send({ status: 200, afterMs });
    await failing(h, 1);
    expect([afterMs, (await h.send({ status: 200 })) instanceof ThrottledError]).toEqual([afterMs, opens]);
  }
});

test('a request that its caller gives up says nothing about the host', async () => {
  const h = setUp();
  const error = await h.send({}, { abortsAfterMs: LATE_MS });
  expect(error).toMatchObject({ aborted: true, code: 'aborted', cause: new Error('not wanted') });
  expect([h.count('aborted'), h.told]).toEqual([1, []]);
});

test('the text of a failure has no credentials', async () => {
  const h = setUp();
  const error = await h.send({
    error: failure('ECONNRESET', 'reset by https://me:hunter2@proxy.example.org'),
  });
  expect(error).toBeInstanceOf(NoResponseError);
  expect(String(error)).toContain('proxy.example.org');
  expect(String(error)).not.toContain('hunter2');
});

test('a request without connections takes no slot for good', async () => {
  const h = setUp();
  const request = { method: 'GET', url: new URL('https://api.example.org/v1/a'), headers: {} } as const;
  const dispatcher = () => {
    throw new Error('the connections are closed');
  };
  await expect(h.http.send({ route, request, dispatcher }, new AbortController().signal)).rejects.toThrow(
    'the connections are closed',
  );
  expect(h.slots.taken).toBe(0);
});
