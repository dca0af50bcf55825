import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createByteBudget } from '../../base/collections/byte-budget.ts';
import { createTokenBucket } from '../../base/concurrency/token-bucket.ts';
import { kindOf } from '../../base/errors/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { isGone, isUnknownKind, isUnreachable, ResponseTooLargeError } from '../errors/errors.ts';
import { refuse, type Script, type ScriptedServer, startScriptedServer } from '../fakes/scripted-server.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps } from '../object/resource-type.ts';
import type { WatchEvent, WatchOptions } from './client.ts';
import { createKubeClient, type RestClient } from './rest-client.ts';
import { REQUEST_BYTES } from './watch-stream.ts';

let server: ScriptedServer;
let client: RestClient;

beforeEach(async () => {
  server = await startScriptedServer();
  const credentials = { headers: {} };
  const config = { server: server.url, credentials: async () => credentials };
  client = createKubeClient({
    config,
    clusterName: 'cluster test',
    clock: systemClock,
    maxResponseBytes: 1_000_000,
    maxWatchLineBytes: 100_000,
    jsonLimits: { maxValues: 1000 },
  });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const object = (name: string, version: string, data?: Record<string, string>) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'shop', resourceVersion: version },
  ...(data ? { data } : {}),
});
const line = (type: string, body: unknown) => `${JSON.stringify({ type, object: body })}\n`;

/** Writes each chunk only when the one before has left, so that they arrive one by one. */
function stream(...steps: (string | Buffer | ((response: ServerResponse) => void))[]): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const next = () => {
      const step = steps.shift();
      if (typeof step === 'function') step(response);
      else if (step !== undefined) response.write(step, () => setImmediate(next));
    };
    next();
  };
}
const end = (response: ServerResponse) => response.end();
const cut = (response: ServerResponse) => response.socket?.destroy();

async function watch(
  options: WatchOptions = {},
): Promise<{ events: WatchEvent<ConfigMap>[]; error?: unknown }> {
  const events: WatchEvent<ConfigMap>[] = [];
  try {
    for await (const event of client.watch(configMaps, options)) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

describe('events', () => {
  test('arrive whole however the bytes come, characters of several bytes and big objects included', async () => {
    const text =
      line('ADDED', object('a', '1', { x: '€'.repeat(20_000) })) + line('MODIFIED', object('a', '2'));
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: 7 }, (_, i) =>
      bytes.subarray(Math.floor((i * bytes.length) / 7), Math.floor(((i + 1) * bytes.length) / 7)),
    );
    server.next(stream(...pieces, end));
    expect(await watch()).toEqual({
      events: [
        { type: 'ADDED', object: object('a', '1', { x: '€'.repeat(20_000) }) },
        { type: 'MODIFIED', object: object('a', '2') },
      ],
    });
  });

  test('bookmarks come through, and are always asked for', async () => {
    server.next(stream(line('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '9' } }), end));
    const { events } = await watch({
      namespace: 'shop',
      resourceVersion: '5',
      timeoutSeconds: 300,
      labelSelector: 'a',
    });
    expect(events).toMatchObject([{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }]);
    expect(server.requests[0]?.url).toBe(
      '/api/v1/namespaces/shop/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300&labelSelector=a',
    );
  });

  test('onOpen is called before the first event, which may come late', async () => {
    server.next(stream());
    const stop = new AbortController();
    const { error } = await watch({ signal: stop.signal, onOpen: () => stop.abort(new Error('opened')) });
    expect(error).toBe(stop.signal.reason);
  });
});

describe('an end that is not in order is thrown', () => {
  const event = line('ADDED', object('a', '1'));
  const status = (code: number, reason: string) => ({
    kind: 'Status',
    code,
    reason,
    message: 'too old resource version',
  });

  test('an expired version, in the stream', async () => {
    server.next(stream(event, line('ERROR', status(410, 'Expired')), end));
    const { events, error } = await watch();
    expect(events).toHaveLength(1);
    expect(isGone(error)).toBe(true);
    expect(String(error)).toContain('cannot watch configmaps in all namespaces on cluster test: too old');
  });

  test('an expired version, as the answer’s status', async () => {
    server.next(refuse(410, 'Expired'));
    expect(isGone((await watch()).error)).toBe(true);
  });

  test('a kind that is not served', async () => {
    server.next(refuse(404, 'NotFound'));
    expect(isUnknownKind((await watch()).error)).toBe(true);
  });

  test('a connection cut amid a line', async () => {
    server.next(stream(event, event.slice(0, 30), cut));
    const { events, error } = await watch();
    expect(events).toHaveLength(1);
    expect(isUnreachable(error)).toBe(true);
    expect(String(error)).toContain('the connection was lost');
  });

  test('an answer that ends amid a line', async () => {
    server.next(stream(event, event.slice(0, 30), end));
    expect(String((await watch()).error)).toContain('the stream ended within a line');
  });

  test.each([
    ['no JSON', 'TOP-SECRET\n'],
    ['an unknown type', line('TOP-SECRET', object('a', '1'))],
    ['an object without a version', line('ADDED', { metadata: { name: 'TOP-SECRET' } })],
    ['no object', line('ADDED', null)],
    ['a name that is no text', line('ADDED', { metadata: { name: 7, resourceVersion: '1' } })],
  ])('a line that is no event (%s), without quoting it', async (_what, text) => {
    server.next(stream(event, text, event, end));
    const { events, error } = await watch();
    expect(events).toHaveLength(1);
    expect(kindOf(error)).toBe('transient');
    expect(String(error)).toMatch(/a line that is no watch event$/);
  });

  test.each([
    ['in length', 'x'.repeat(200_000), 'a line is longer than 100000 bytes'],
    [
      'in values',
      line('ADDED', { ...object('a', '1'), data: Array(2000).fill(0) }),
      'of more than 1000 values',
    ],
  ])('a line that exceeds a limit %s', async (_what, text, why) => {
    server.next(stream(text, end));
    const { error } = await watch();
    expect(error).toBeInstanceOf(ResponseTooLargeError);
    expect(String(error)).toContain(why);
  });
});

describe('a watch that ends leaves no connection behind', () => {
  async function closed(): Promise<void> {
    while (server.open() > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test('by leaving the loop', async () => {
    server.next(stream(line('ADDED', object('a', '1'))));
    for await (const _event of client.watch(configMaps)) break;
    await closed();
  });

  test('by the signal, while nothing happens', async () => {
    const stop = new AbortController();
    server.next(stream(line('ADDED', object('a', '1')), () => stop.abort(new Error('stop'))));
    expect((await watch({ signal: stop.signal })).error).toBe(stop.signal.reason);
    await closed();
  });

  test('by the signal, before the server answered', async () => {
    const stop = new AbortController();
    server.next(() => stop.abort(new Error('stop')));
    expect((await watch({ signal: stop.signal })).error).toBe(stop.signal.reason);
    await closed();
  });
});

test.each(['of its cluster', 'that clusters share'])(
  'events that come faster than the rate %s wait, those of all its watches together, and none is lost',
  async (whose) => {
    const clock = createFakeClock();
    const config = { server: server.url, credentials: async () => ({ headers: {} }) };
    const watchRate = { bytesPerSecond: 1000, burstBytes: 1000 };
    const sharedWatchRate = createTokenBucket({ clock, ratePerSecond: 1000, burst: 1000 });
    const isOwn = whose === 'of its cluster';
    const clients = Array.from({ length: isOwn ? 1 : 2 }, () =>
      createKubeClient({ config, clock, ...(isOwn ? { watchRate } : { sharedWatchRate }) }),
    );
    const versions = (from: number) => Array.from({ length: 20 }, (_, number) => `${from + number}`);
    const lines = (from: number) => versions(from).map((version) => line('ADDED', object('a', version)));
    const received: string[] = [];
    let ended = 0;
    const read = async (slow: RestClient | undefined) => {
      for await (const { object } of slow?.watch(configMaps) ?? [])
        received.push(object.metadata.resourceVersion ?? '');
      ended++;
    };
    for (const from of [100, 200]) {
      server.next(stream(...lines(from), end));
      void read(clients[from / 100 - 1] ?? clients[0]);
    }
    while (clock.pending() < 2) await delay(1);
    const early = received.length;
    let seconds = 0;
    for (; ended < 2; seconds++) {
      await clock.advance(1000);
      await delay(5);
    }
    expect(received.sort()).toEqual([...versions(100), ...versions(200)]);
    expect(early).toBeLessThan(40);
    // What is left after the burst, at 1000 bytes a second; a chunk may exceed the burst.
    expect(seconds).toBeGreaterThanOrEqual(
      Math.floor((40 * line('ADDED', object('a', '100')).length) / 1000) - 4,
    );
    for (const slow of clients) await slow.close();
  },
);

test.each<[what: string, ask: (client: RestClient) => Promise<unknown>]>([
  [
    'watches that end at once',
    async (asked) => {
      for await (const _ of asked.watchMetadata(configMaps));
    },
  ],
  ['polls of metadata', (asked) => asked.getMetadata(configMaps, { namespace: 'shop', name: 'a' })],
])('%s count as data, so that they are not repeated faster than the rate', async (_what, ask) => {
  const clock = createFakeClock();
  const config = { server: server.url, credentials: async () => ({ headers: {} }) };
  const sharedWatchRate = createTokenBucket({ clock, ratePerSecond: REQUEST_BYTES, burst: REQUEST_BYTES });
  const clients = [1, 2].map(() => createKubeClient({ config, clock, sharedWatchRate }));
  for (let n = 0; n < 6; n++) server.next(stream(end));
  let isDone = false;
  const asked = Promise.all(
    clients.map(async (each) => {
      for (let n = 0; n < 3; n++) await ask(each).catch(() => undefined);
    }),
  ).then(() => {
    isDone = true;
  });
  const excess: number[] = [];
  let seconds = 0;
  for (; !isDone; seconds++) {
    await delay(10);
    // The last one may take more than there is.
    excess.push(server.requests.length - seconds - 2);
    await clock.advance(1000);
  }
  await asked;
  expect(Math.max(...excess)).toBeLessThanOrEqual(0);
  expect(seconds).toBeGreaterThanOrEqual(4);
  for (const each of clients) await each.close();
});

test('responses that are being received use memory that clients share, and give it back', async () => {
  const memory = createByteBudget(1000);
  const config = { server: server.url, credentials: async () => ({ headers: {} }) };
  const clients = [1, 2].map(() => createKubeClient({ config, clock: systemClock, memory }));
  const [slow, other] = clients;
  const read = (by: RestClient | undefined, call: { signal?: AbortSignal } = {}) =>
    by?.get(configMaps, { namespace: 'shop', name: 'a' }, call);
  const whole = JSON.stringify(object('a', '1', { text: 'x'.repeat(400) }));
  const giveUp = new AbortController();
  const begun = Promise.withResolvers<void>();
  server.next(stream(whole + ' '.repeat(400), () => begun.resolve()));
  const stalled = read(slow, { signal: giveUp.signal })?.catch((error: unknown) => error);
  await begun.promise;
  while (memory.take(400)) {
    memory.give(400);
    await delay(1);
  }
  server.next(stream(whole, end));
  const refusal = await read(other)?.catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    kind: 'transient',
    message: expect.stringContaining('there is no memory for the answer now'),
  });
  expect(refusal).not.toBeInstanceOf(ResponseTooLargeError);
  giveUp.abort(new Error('enough'));
  await stalled;
  server.next(stream(whole, end));
  expect(await read(other)).toMatchObject({ metadata: { name: 'a' } });
  expect(memory.take(1000)).toBe(true);
  for (const each of clients) await each.close();
});
