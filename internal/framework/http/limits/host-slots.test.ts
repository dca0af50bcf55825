import { describe, expect, test } from '@jest/globals';
import { createConcurrencyLimiter, type LimitedRequest } from '../../base/concurrency/concurrency-limiter.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createHostSlots, FIRST_SLOTS } from './host-slots.ts';

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);

test('a host has few slots until it responds, and one more for each response up to its maximum', () => {
  const grown: string[] = [];
  const slots = createHostSlots(24, (host) => grown.push(host));
  expect(slots.of('a')).toBe(FIRST_SLOTS);
  times(3, () => slots.succeeded('a'));
  expect([slots.of('a'), slots.of('b')]).toEqual([FIRST_SLOTS + 3, FIRST_SLOTS]);
  times(100, () => slots.succeeded('a'));
  expect(slots.of('a')).toBe(24);
  expect(grown).toEqual(Array(24 - FIRST_SLOTS).fill('a'));
});

test('a host that fails slowly has few again', () => {
  const slots = createHostSlots(24);
  times(100, () => slots.succeeded('a'));
  slots.failedSlowly('a');
  expect(slots.of('a')).toBe(FIRST_SLOTS);
});

test('a maximum below the first slots is no maximum: reconciles share lists', () => {
  const slots = createHostSlots(1);
  slots.succeeded('a');
  expect(slots.of('a')).toBe(FIRST_SLOTS);
});

describe('beside two hosts that answer everything with 500 after 9.5 s, a healthy host is at its full share within a second', () => {
  const WORKERS = 100;
  const MAX = 24;
  test.each([
    { when: 'from the start', delayMs: 0 },
    { when: 'that is called later', delayMs: 3000 },
  ])('$when', async ({ delayMs }) => {
    const clock = createFakeClock();
    const limiter = createConcurrencyLimiter({ clock });
    const slots = createHostSlots(MAX, (host) => limiter.grown(host));
    const shared = { name: 'remote', slots: (WORKERS * 3) / 4 };
    const running = new Map<string, number>();
    const inProgress = () => [...running.values()].reduce((sum, count) => sum + count, 0);
    let turn = 0;
    interface Call extends LimitedRequest {
      readonly host: string;
    }
    const count = (host: string, by: number) => void running.set(host, (running.get(host) ?? 0) + by);
    const group = limiter.group<Call>({
      capacity: () => WORKERS - inProgress(),
      start: (call) => {
        const { host } = call;
        const isHealthy = host === 'healthy';
        count(host, 1);
        clock.after(isHealthy ? 100 : 9500, () => {
          count(host, -1);
          if (isHealthy) slots.succeeded(host);
          else slots.failedSlowly(host);
          group.end(call);
          group.add(callOf(host));
        });
      },
    });
    const callOf = (host: string): Call => {
      const limitKey = {
        name: host,
        shared,
        get slots() {
          return slots.of(host);
        },
      };
      return { host, turn: turn++, priority: 0, paced: false, heapIndex: -1, limitKeys: [limitKey] };
    };
    const callOften = (host: string) => times(200, () => group.add(callOf(host)));
    for (const host of ['slow 1', 'slow 2']) callOften(host);
    await clock.advance(delayMs);
    callOften('healthy');
    await clock.advance(1000);
    expect(Object.fromEntries(running)).toEqual({
      'slow 1': FIRST_SLOTS,
      'slow 2': FIRST_SLOTS,
      healthy: MAX,
    });
    // Whenever one of them fails, they get no more.
    await clock.advance(60_000);
    expect(Object.fromEntries(running)).toEqual({
      'slow 1': FIRST_SLOTS,
      'slow 2': FIRST_SLOTS,
      healthy: MAX,
    });
  });
});
