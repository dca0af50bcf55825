import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createCallSlots } from './call-slots.ts';

const never = new AbortController().signal;
/** How long a call counts among those of all hosts. */
const SHARED_MS = 250;

function setUp(maxCalls: number, callsPerHost = 24) {
  const clock = createFakeClock();
  const slots = createCallSlots({
    apiName: 'Buckets',
    clock,
    limiter: createConcurrencyLimiter({ clock }),
    maxCalls,
    callsPerHost,
  });
  const inFlight: string[] = [];
  /** A call that ends after so many ms. */
  const call = async (host: string, ms: number) => {
    const release = await slots.acquire(host, never);
    inFlight.push(host);
    clock.after(ms, () => {
      inFlight.splice(inFlight.indexOf(host), 1);
      release();
    });
  };
  const settle = () => clock.advance(0);
  /** A slot that is free now. Fails rather than waits for one. */
  const acquire = async (host: string, signal = never) => {
    let release: (() => void) | undefined;
    slots.acquire(host, signal).then(
      (own) => {
        release = own;
      },
      () => undefined,
    );
    await settle();
    if (release === undefined) throw new Error('no slot is free');
    return release;
  };
  return { clock, slots, acquire, call, inFlight, settle };
}

describe('slots of calls', () => {
  test('no more calls than allowed start at a time, in the order of asking', async () => {
    const { call, inFlight, clock, settle } = setUp(2);
    const started: number[] = [];
    for (let i = 0; i < 4; i++) void call('a', 100).then(() => started.push(i));
    await settle();
    expect([inFlight.length, started]).toEqual([2, [0, 1]]);
    await clock.advance(100);
    expect([inFlight.length, started]).toEqual([2, [0, 1, 2, 3]]);
  });

  test('a call that takes long counts among those of its host only', async () => {
    const { call, inFlight, clock, settle } = setUp(2, 3);
    for (let i = 0; i < 10; i++) void call('slow', 10_000);
    await settle();
    expect(inFlight).toHaveLength(2);
    await clock.advance(SHARED_MS);
    expect(inFlight).toHaveLength(3);
    await clock.advance(5000);
    expect(inFlight).toHaveLength(3);
    void call('another', 10);
    await settle();
    expect(inFlight).toContain('another');
  });

  test('a slot that is returned twice is free once', async () => {
    const { acquire, clock, call, inFlight } = setUp(1);
    const release = await acquire('a');
    release();
    release();
    for (let i = 0; i < 3; i++) void call('a', 10_000);
    await clock.advance(0);
    expect(inFlight).toHaveLength(1);
    await clock.advance(10_000);
    expect(clock.pending()).toBeGreaterThan(0);
  });

  test.each([1, 2])(
    'a slot of a host that is returned twice is free once, with %p of them',
    async (perHost) => {
      const { acquire, call, inFlight, clock } = setUp(9, perHost);
      for (let i = 1; i < perHost; i++) void call('a', 10_000);
      const release = await acquire('a');
      release();
      release();
      for (let i = 0; i < 5; i++) void call('a', 10_000);
      await clock.advance(0);
      expect(inFlight).toHaveLength(perHost);
    },
  );

  test('a call that took long frees no slot of all hosts when it ends, since it has none any more', async () => {
    const { call, clock, inFlight } = setUp(1);
    void call('slow', 1000);
    await clock.advance(1000);
    for (let i = 0; i < 3; i++) void call(`host ${i}`, 100);
    await clock.advance(0);
    expect(inFlight).toEqual(['host 0']);
  });

  test('a call that was aborted while it waited takes none', async () => {
    const { slots, acquire, settle } = setUp(1);
    const release = await acquire('a');
    const controller = new AbortController();
    let reason: unknown;
    slots.acquire('a', controller.signal).catch((error: unknown) => {
      reason = error;
    });
    await settle();
    controller.abort(new Error('enough'));
    await settle();
    expect(reason).toMatchObject({ message: 'enough' });
    release();
    expect(await acquire('a')).toBeInstanceOf(Function);
  });

  test('a call that has a slot keeps it when its signal is aborted', async () => {
    const { acquire } = setUp(1);
    const controller = new AbortController();
    const release = await acquire('a', controller.signal);
    controller.abort(new Error('enough'));
    await expect(acquire('b')).rejects.toThrow('no slot is free');
    release();
  });

  test('a call that ended leaves no timer, and nothing at its signal, which may live much longer', async () => {
    const { acquire, clock } = setUp(1);
    const { signal } = new AbortController();
    const release = await acquire('a', signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    release();
    expect(clock.pending()).toBe(0);
  });

  test('an aborted signal is refused even if a slot is free', async () => {
    const { slots } = setUp(1);
    await expect(slots.acquire('a', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  test('property: beside slow hosts the call to another one starts at once or after one turn, at any number of calls', async () => {
    const number = fc.integer({ min: 1, max: 8 });
    const perHost = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        number,
        perHost,
        fc.integer({ min: 0, max: 20_000 }),
        async (maxCalls, sizes, afterMs) => {
          const { call, clock, inFlight } = setUp(maxCalls);
          for (const [host, size] of sizes.entries()) {
            for (let i = 0; i < size; i++) void call(`slow ${host}`, 9500);
          }
          // Every slow host has a call in flight by then.
          await clock.advance(sizes.length * SHARED_MS + afterMs);
          void call('another', 10_000);
          await clock.advance(SHARED_MS);
          expect(inFlight).toContain('another');
        },
      ),
      { numRuns: 40 },
    );
  });
});
