import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createAdaptiveConcurrency } from './adaptive-concurrency.ts';

const MAX = 32;

interface Demand {
  readonly requests: number;
  readonly callers: number;
  readonly timeoutMs: number;
  /** Time that the server works on a request; it works on `parallel` at a time, also on those that were given up. */
  readonly serviceMs: number;
  readonly parallel?: number;
}

/** Callers that send their requests until each has a response, and wait a second after a timeout. */
async function run({ requests, callers, timeoutMs, serviceMs, parallel = 1 }: Demand) {
  const clock = createFakeClock();
  const concurrency = createAdaptiveConcurrency({ max: MAX });
  const freeAt = Array.from({ length: parallel }, () => 0);
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  let [left, done, timeouts] = [requests, 0, 0];
  const send = async () => {
    const slot = await concurrency.acquire();
    const now = clock.monotonic();
    const worker = freeAt.indexOf(Math.min(...freeAt));
    const at = Math.max(now, freeAt[worker] ?? 0) + serviceMs;
    freeAt[worker] = at;
    const tookMs = at - now;
    await wait(Math.min(tookMs, timeoutMs));
    if (tookMs <= timeoutMs) {
      slot.responded(tookMs / timeoutMs);
      return true;
    }
    timeouts++;
    slot.timedOut();
    await wait(1000);
    return false;
  };
  const caller = async () => {
    while (left > 0) {
      left--;
      while (!(await send()));
      done++;
    }
  };
  const all = Array.from({ length: callers }, caller);
  while (done < requests && clock.monotonic() < 3_600_000) await clock.advance(50);
  await Promise.all(all);
  return { ms: clock.monotonic(), timeouts, limit: concurrency.limit() };
}

describe('a server that grants 4 requests a second, one after the other', () => {
  test.each([
    ['all at once, with 10 s for each', { callers: 500, timeoutMs: 10_000 }],
    ['by 50 callers', { callers: 50, timeoutMs: 10_000 }],
    ['with 3 s for each', { callers: 50, timeoutMs: 3000 }],
  ])('responds to 500 requests in 125 s and a fifth: %s', async (_, demand) => {
    const { ms } = await run({ ...demand, requests: 500, serviceMs: 250 });
    expect(ms).toBeLessThanOrEqual(125_000 * 1.2);
  });
});

test('a server that is quick has all slots in use, soon after it was slow', async () => {
  const quick = { requests: 5000, callers: 100, timeoutMs: 3000, serviceMs: 20, parallel: 32 };
  const { ms, timeouts, limit } = await run(quick);
  expect({ timeouts, limit }).toEqual({ timeouts: 0, limit: MAX });
  expect(ms).toBeLessThanOrEqual((5000 / 32) * 20 + 100);
  const concurrency = createAdaptiveConcurrency({ max: MAX });
  for (let time = 0; time < 10; time++) (await concurrency.acquire()).timedOut();
  expect(concurrency.limit()).toBe(1);
  let responses = 0;
  for (; concurrency.limit() < MAX && responses < 10_000; ) {
    const slots = await Promise.all(Array.from({ length: concurrency.limit() }, () => concurrency.acquire()));
    for (const slot of slots) {
      slot.responded(0.01);
      responses++;
    }
  }
  expect(responses).toBeLessThan(2000);
});

test('timeouts of requests that were sent together shrink the limit once', async () => {
  const concurrency = createAdaptiveConcurrency({ max: MAX });
  const slots = await Promise.all(Array.from({ length: MAX }, () => concurrency.acquire()));
  for (const slot of slots) slot.timedOut();
  expect(concurrency.limit()).toBe(MAX / 2);
});

test.each([
  { share: 0.24, limit: 5 },
  { share: 0.25, limit: 4 },
  { share: 0.5, limit: 4 },
  { share: 0.51, limit: 2 },
])(
  'three rounds of responses after $share of their time-out make a limit of 4 one of $limit',
  async ({ share, limit }) => {
    const concurrency = createAdaptiveConcurrency({ max: MAX });
    for (let time = 0; time < 3; time++) (await concurrency.acquire()).timedOut();
    expect(concurrency.limit()).toBe(4);
    for (let round = 0; round < 3; round++) {
      const slots = await Promise.all(
        Array.from({ length: concurrency.limit() }, () => concurrency.acquire()),
      );
      for (const slot of slots) slot.responded(share);
    }
    expect(concurrency.limit()).toBe(limit);
  },
);

test('a request that times out says whether the server responds to others', async () => {
  const concurrency = createAdaptiveConcurrency({ max: MAX });
  const [first, second] = [await concurrency.acquire(), await concurrency.acquire()];
  expect(first.timedOut()).toEqual({ isServerResponding: false });
  (await concurrency.acquire()).responded(0.1);
  expect(second.timedOut()).toEqual({ isServerResponding: true });
});

test('few requests do not raise the limit, and one that shows nothing does not change it', async () => {
  const concurrency = createAdaptiveConcurrency({ max: MAX });
  (await concurrency.acquire()).timedOut();
  for (let time = 0; time < 100; time++) (await concurrency.acquire()).responded(0.01);
  (await concurrency.acquire()).ended();
  expect(concurrency.limit()).toBe(MAX / 2);
});

test('waiting requests are admitted in their order, and one that is abandoned takes no slot', async () => {
  const concurrency = createAdaptiveConcurrency({ max: 1 });
  const held = await concurrency.acquire();
  const admitted: string[] = [];
  const abandoned = new AbortController();
  const first = concurrency.acquire(abandoned.signal);
  const second = concurrency.acquire().then((slot) => {
    admitted.push('second');
    return slot;
  });
  const third = concurrency.acquire().then(() => admitted.push('third'));
  abandoned.abort(new Error('stop'));
  await expect(first).rejects.toThrow('stop');
  held.ended();
  (await second).ended();
  await third;
  expect(admitted).toEqual(['second', 'third']);
  await expect(concurrency.acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
});
