import { describe, expect, test } from '@jest/globals';
import { ThrottledError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';

function setUp() {
  const clock = createFakeClock();
  const options = { clock, random: () => 0.5, name: 'host h', threshold: 3, openMs: 1000, maxOpenMs: 4000 };
  return { clock, breaker: createCircuitBreaker(options) };
}

function failSlowly(breaker: CircuitBreaker, times: number): void {
  for (let i = 0; i < times; i++) breaker.enter().failedSlowly();
}

function refusalOf(breaker: CircuitBreaker): ThrottledError | undefined {
  try {
    breaker.enter().inconclusive();
    return undefined;
  } catch (error) {
    if (error instanceof ThrottledError) return error;
    throw error;
  }
}

describe('createCircuitBreaker', () => {
  test('opens after so many slow failures in a row, with the time until the next attempt', () => {
    const { breaker } = setUp();
    failSlowly(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
    failSlowly(breaker, 1);
    expect(refusalOf(breaker)).toMatchObject({
      retryAfterMs: 1000,
      message:
        'host h has not answered in time for 3 calls in a row and is not called for a while (circuit open)',
    });
  });

  test('a success in between starts the count anew', () => {
    const { breaker } = setUp();
    failSlowly(breaker, 2);
    breaker.enter().succeeded();
    failSlowly(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('an inconclusive attempt neither opens it nor starts the count anew', () => {
    const { breaker } = setUp();
    failSlowly(breaker, 2);
    breaker.enter().inconclusive();
    failSlowly(breaker, 1);
    expect(refusalOf(breaker)).toBeDefined();
  });

  test('after its time it admits one at a time, and a success of that one closes it', async () => {
    const { clock, breaker } = setUp();
    failSlowly(breaker, 3);
    await clock.advance(1000);
    const probe = breaker.enter();
    expect(refusalOf(breaker)).toBeDefined();
    probe.succeeded();
    expect(refusalOf(breaker)).toBeUndefined();
    failSlowly(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('a probe that fails slowly opens it again, each time for twice as long, up to a bound', async () => {
    const { clock, breaker } = setUp();
    failSlowly(breaker, 3);
    const waits: (number | undefined)[] = [];
    for (const wait of [1000, 2000, 4000, 4000]) {
      waits.push(refusalOf(breaker)?.retryAfterMs);
      await clock.advance(wait);
      failSlowly(breaker, 1);
    }
    expect(waits).toEqual([1000, 2000, 4000, 4000]);
    await clock.advance(4000);
    // A single success closes it, as if it had never been open.
    breaker.enter().succeeded();
    const several = [breaker.enter(), breaker.enter(), breaker.enter()];
    for (const attempt of several) attempt.failedSlowly();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(1000);
  });

  test('an inconclusive probe admits the next one', async () => {
    const { clock, breaker } = setUp();
    failSlowly(breaker, 3);
    await clock.advance(1000);
    breaker.enter().inconclusive();
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('attempts in progress when it opens do not prolong it, although they fail as well', () => {
    const { breaker } = setUp();
    const underWay = Array.from({ length: 10 }, () => breaker.enter());
    for (const attempt of underWay) attempt.failedSlowly();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(1000);
  });

  test('an attempt that began before it opened and succeeds late leaves it open', () => {
    const { breaker } = setUp();
    const late = breaker.enter();
    failSlowly(breaker, 3);
    late.succeeded();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(1000);
  });

  test('an attempt that began before it opened and ends during a probe admits no second one', async () => {
    const { clock, breaker } = setUp();
    const late = breaker.enter();
    failSlowly(breaker, 3);
    await clock.advance(1000);
    const probe = breaker.enter();
    late.inconclusive();
    expect(refusalOf(breaker)).toBeDefined();
    probe.succeeded();
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('attempts in progress when another one succeeds still count if they fail', () => {
    const { breaker } = setUp();
    const attempts = Array.from({ length: 3 }, () => breaker.enter());
    breaker.enter().succeeded();
    for (const attempt of attempts) attempt.failedSlowly();
    expect(refusalOf(breaker)).toBeDefined();
  });

  test('an attempt that began before it opened changes nothing that a newer probe found', async () => {
    const { clock, breaker } = setUp();
    const [success, ...failures] = Array.from({ length: 4 }, () => breaker.enter());
    failSlowly(breaker, 3);
    await clock.advance(1000);
    failSlowly(breaker, 1);
    success?.succeeded();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(2000);
    await clock.advance(2000);
    breaker.enter().succeeded();
    for (const failure of failures) failure.failedSlowly();
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('opens by default after five slow failures, for five seconds to a minute', async () => {
    const clock = createFakeClock();
    const breaker = createCircuitBreaker({ clock, random: () => 0.5, name: 'host h' });
    failSlowly(breaker, 4);
    expect(refusalOf(breaker)).toBeUndefined();
    failSlowly(breaker, 1);
    const waits: number[] = [];
    for (let i = 0; i < 5; i++) {
      const waitMs = refusalOf(breaker)?.retryAfterMs ?? 0;
      waits.push(waitMs);
      await clock.advance(waitMs);
      failSlowly(breaker, 1);
    }
    expect(waits).toEqual([5000, 10_000, 20_000, 40_000, 60_000]);
  });

  test.each([
    [0, 900],
    [1, 1100],
  ])('its time is spread by a tenth: with the random value %p it is %p ms', (random, ms) => {
    const clock = createFakeClock();
    const breaker = createCircuitBreaker({
      clock,
      random: () => random,
      name: 'h',
      threshold: 1,
      openMs: 1000,
    });
    failSlowly(breaker, 1);
    expect(refusalOf(breaker)?.retryAfterMs).toBeCloseTo(ms);
  });

  test('a second request during a probe is refused for the time that the circuit opens first', async () => {
    const { clock, breaker } = setUp();
    failSlowly(breaker, 3);
    await clock.advance(1000);
    breaker.enter();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(1000);
  });
});
