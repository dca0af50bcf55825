import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../time/fake-clock.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Takes all tokens that there are, and returns their number. */
function takeAll(bucket: TokenBucket): number {
  let taken = 0;
  for (; bucket.waitMs() === 0; taken++) bucket.take();
  return taken;
}

describe('createTokenBucket', () => {
  test('the burst is there at once, and then one token after the other at the rate', async () => {
    const clock = createFakeClock();
    const bucket = createTokenBucket({ clock, ratePerSecond: 10, burst: 2 });
    expect([takeAll(bucket), bucket.waitMs()]).toEqual([2, 100]);
    await clock.advance(60);
    expect([takeAll(bucket), Math.round(bucket.waitMs())]).toEqual([0, 40]);
    await clock.advance(40);
    expect(takeAll(bucket)).toBe(1);
  });

  test('an idle bucket fills up to its burst and no further', async () => {
    const clock = createFakeClock();
    const bucket = createTokenBucket({ clock, ratePerSecond: 10, burst: 2 });
    takeAll(bucket);
    await clock.advance(60_000);
    expect(takeAll(bucket)).toBe(2);
  });

  test('without a burst there are tokens at the rate', async () => {
    const clock = createFakeClock();
    const bucket = createTokenBucket({ clock, ratePerSecond: 1, burst: 0 });
    expect(bucket.waitMs()).toBe(1000);
    await clock.advance(1000);
    expect(takeAll(bucket)).toBe(1);
  });

  test('a caller that waits as long as it was told finds a token, in spite of rounding', async () => {
    for (let rate = 1; rate <= 300; rate++) {
      const clock = createFakeClock(0);
      const bucket = createTokenBucket({ clock, ratePerSecond: rate, burst: 1 });
      bucket.take();
      await clock.advance(bucket.waitMs() / 3);
      await clock.advance(bucket.waitMs());
      expect([rate, bucket.waitMs()]).toEqual([rate, 0]);
    }
  });

  test('property: in any span no more than burst + rate × span tokens are taken, and all of them if someone waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), async (gaps) => {
        const clock = createFakeClock();
        const bucket = createTokenBucket({ clock, ratePerSecond: 100, burst: 5 });
        let taken = takeAll(bucket);
        for (const gap of gaps) {
          await clock.advance(Math.min(gap, bucket.waitMs()));
          taken += takeAll(bucket);
          const bound = 5 + (100 * clock.monotonic()) / 1000;
          expect(taken).toBeLessThanOrEqual(bound + 1e-6);
          expect(taken).toBeGreaterThan(bound - 1 - 1e-6);
        }
      }),
      { numRuns: 25 },
    );
  });
});
