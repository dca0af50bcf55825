import { describe, expect, test } from '@jest/globals';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { ThrottledError } from './errors.ts';
import { createFakeClock } from './fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const options = { clock, random: () => 0.5, name: 'host h', threshold: 3, openMs: 1000, maxOpenMs: 4000 };
  return { clock, breaker: createCircuitBreaker(options) };
}

function fallSilent(breaker: CircuitBreaker, times: number): void {
  for (let i = 0; i < times; i++) breaker.enter().silent();
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
  test('opens after so many silent attempts in a row, and says until when', () => {
    const { breaker } = setUp();
    fallSilent(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
    fallSilent(breaker, 1);
    expect(refusalOf(breaker)).toMatchObject({
      retryAfterMs: 1000,
      message: 'host h has not answered for 3 calls in a row and is left alone for a while (circuit open)',
    });
  });

  test('an answer in between starts the count anew', () => {
    const { breaker } = setUp();
    fallSilent(breaker, 2);
    breaker.enter().answered();
    fallSilent(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('what says nothing about the other side neither opens nor starts anew', () => {
    const { breaker } = setUp();
    fallSilent(breaker, 2);
    breaker.enter().inconclusive();
    fallSilent(breaker, 1);
    expect(refusalOf(breaker)).toBeDefined();
  });

  test('after its time it lets one through at a time, and an answer to that one closes it', async () => {
    const { clock, breaker } = setUp();
    fallSilent(breaker, 3);
    await clock.advance(1000);
    const probe = breaker.enter();
    expect(refusalOf(breaker)).toBeDefined();
    probe.answered();
    expect(refusalOf(breaker)).toBeUndefined();
    fallSilent(breaker, 2);
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('a silent probe opens it again, each time for twice as long, up to a bound', async () => {
    const { clock, breaker } = setUp();
    fallSilent(breaker, 3);
    const waits: (number | undefined)[] = [];
    for (const wait of [1000, 2000, 4000, 4000]) {
      waits.push(refusalOf(breaker)?.retryAfterMs);
      await clock.advance(wait);
      fallSilent(breaker, 1);
    }
    expect(waits).toEqual([1000, 2000, 4000, 4000]);
  });

  test('a probe that ended inconclusively makes room for the next', async () => {
    const { clock, breaker } = setUp();
    fallSilent(breaker, 3);
    await clock.advance(1000);
    breaker.enter().inconclusive();
    expect(refusalOf(breaker)).toBeUndefined();
  });

  test('attempts under way when it opens do not prolong it, although they fall silent as well', () => {
    const { breaker } = setUp();
    const underWay = Array.from({ length: 10 }, () => breaker.enter());
    for (const attempt of underWay) attempt.silent();
    expect(refusalOf(breaker)?.retryAfterMs).toBe(1000);
  });
});
