import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../../framework/kube/index.ts';
import { limitRequests } from './limited-client.ts';

const key = { namespace: 'ns', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };

test('requests of all kinds together have the rate, after a burst', async () => {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const client = limitRequests(
    memory,
    { timeoutMs: 1000, ratePerSecond: 2, burst: 3 },
    { clock, random: () => 0.5 },
  );
  let ended = 0;
  const count = () => void ended++;
  void client.create(configMaps, object).then(count);
  for (let time = 0; time < 3; time++) {
    void client.get(configMaps, key).then(count);
    void client.mergePatch(configMaps, key, {}).then(count);
  }
  await clock.advance(0);
  expect(ended).toBe(3);
  await clock.advance(1000);
  expect(ended).toBe(5);
  await clock.advance(1000);
  expect(ended).toBe(7);
});

test('without a rate none waits', async () => {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const client = limitRequests(
    memory,
    { timeoutMs: 1000, ratePerSecond: 0, burst: 0 },
    { clock, random: () => 0.5 },
  );
  await client.create(configMaps, object);
  for (let time = 0; time < 100; time++) await client.get(configMaps, key);
  expect(clock.pending()).toBe(0);
});

const limits = { timeoutMs: 3000, ratePerSecond: 0, burst: 0 };

/** A Gardener that answers once it is told to; until then requests hang. */
function hangingGardener() {
  const clock = createFakeClock();
  let sent = 0;
  let answer: (() => Promise<never>) | undefined;
  const memory = {
    ...createMemoryClient({ clock }),
    get: (_type: unknown, _key: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      sent += 1;
      if (answer !== undefined) return answer();
      return new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    },
  };
  const client = limitRequests(memory, limits, { clock, random: () => 0.5 });
  return {
    clock,
    sent: () => sent,
    answerWith: (error: Error) => {
      answer = async () => {
        throw error;
      };
    },
    get: (signal = new AbortController().signal) =>
      client.get(configMaps, key, { signal }).catch((error: unknown) => error),
  };
}

test('[I10.3] a Gardener that hangs is sent no more than a probe, and all requests when it answers again', async () => {
  const { clock, sent, answerWith, get } = hangingGardener();
  const first = Promise.all(Array.from({ length: 25 }, () => get()));
  await clock.advance(3000);
  await first;
  expect(sent()).toBe(25);
  // They take no worker's time.
  for (const error of await Promise.all(Array.from({ length: 1000 }, () => get())))
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: expect.any(Number) });
  expect(sent()).toBe(25);
  await clock.advance(6000);
  const probe = get();
  expect(await get()).toMatchObject({ kind: 'throttled' });
  expect(sent()).toBe(26);
  await clock.advance(3000);
  await probe;
  answerWith(apiError(404, 'NotFound'));
  await clock.advance(12_000);
  for (let time = 0; time < 10; time++) expect(await get()).toMatchObject({ status: 404 });
  expect(sent()).toBe(36);
});

test('a Gardener that refuses at once does not count', async () => {
  const { clock, sent, answerWith, get } = hangingGardener();
  answerWith(apiError(503, 'ServiceUnavailable'));
  for (let time = 0; time < 20; time++) expect(await get()).toMatchObject({ status: 503 });
  answerWith(apiError(429, 'TooManyRequests'));
  for (let time = 0; time < 20; time++) expect(await get()).toMatchObject({ status: 429 });
  expect(sent()).toBe(40);
  expect(clock.pending()).toBe(0);
});

test('a reconcile that ends while it waits for a response does not count', async () => {
  const { clock, sent, get } = hangingGardener();
  for (let time = 0; time < 20; time++) {
    const end = new AbortController();
    const ended = get(end.signal);
    await clock.advance(2900);
    end.abort(new Error('the reconcile has ended'));
    expect(await ended).toMatchObject({ message: 'the reconcile has ended' });
  }
  expect(sent()).toBe(20);
  expect(clock.pending()).toBe(0);
});

test('a request that is not answered in time is given up, though the reconcile has more time', async () => {
  const clock = createFakeClock();
  const hanging = {
    ...createMemoryClient({ clock }),
    get: (_type: unknown, _key: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const client = limitRequests(hanging, limits, { clock, random: () => 0.5 });
  const { signal } = new AbortController();
  const failure = client.get(configMaps, key, { signal }).catch((error: unknown) => error);
  await clock.advance(3000);
  expect(await failure).toMatchObject({ message: expect.stringContaining('a request to Gardener') });
});

test('a Gardener that grants 4 requests a second, one after the other, is slow and does not stop', async () => {
  const clock = createFakeClock();
  let freeAt = 0;
  const slow = {
    ...createMemoryClient({ clock }),
    get: (_type: unknown, _key: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      // It works on requests that were given up, too.
      freeAt = Math.max(freeAt, clock.monotonic()) + 250;
      return new Promise<never>((resolve, reject) => {
        clock.after(freeAt - clock.monotonic(), () => resolve({} as never));
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  for (const timeoutMs of [10_000, 3000]) {
    const client = limitRequests(slow, { ...limits, timeoutMs }, { clock, random: () => 0.5 });
    let [left, ready] = [500, 0];
    const startedAt = clock.monotonic();
    const worker = async () => {
      while (left-- > 0) {
        // Requeued with a backoff.
        for (let granted = false; !granted; ) {
          granted = await client.get(configMaps, key).then(
            () => true,
            () => false,
          );
          if (!granted) await new Promise<void>((resolve) => void clock.after(1000, resolve));
        }
        ready++;
      }
    };
    for (let workers = 0; workers < 50; workers++) void worker();
    while (ready < 500 && clock.monotonic() - startedAt < 200_000) await clock.advance(50);
    expect(ready).toBe(500);
    expect(clock.monotonic() - startedAt).toBeLessThanOrEqual(125_000 * 1.2);
  }
});
