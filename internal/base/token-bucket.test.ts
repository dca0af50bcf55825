import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from './fake-clock.ts';
import { createTokenBucket } from './token-bucket.ts';

describe('createTokenBucket', () => {
  test('the burst passes at once and what comes after queues at the rate', () => {
    const bucket = createTokenBucket({ clock: createFakeClock(), ratePerSecond: 10, burst: 2 });
    expect([1, 2, 3, 4].map(() => bucket.reserve())).toEqual([0, 0, 100, 200]);
  });

  test('an idle bucket fills up to its burst and no further', async () => {
    const clock = createFakeClock();
    const bucket = createTokenBucket({ clock, ratePerSecond: 10, burst: 2 });
    for (let i = 0; i < 2; i++) bucket.reserve();
    await clock.advance(60_000);
    expect([1, 2, 3].map(() => bucket.reserve())).toEqual([0, 0, 100]);
  });

  test('law: in any span no more than burst + rate × span tokens fall due', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), async (gaps) => {
        const clock = createFakeClock();
        const bucket = createTokenBucket({ clock, ratePerSecond: 100, burst: 5 });
        const due: number[] = [];
        for (const gap of gaps) {
          await clock.advance(gap);
          due.push(clock.monotonic() + bucket.reserve());
        }
        for (const end of due) {
          const passed = due.filter((t) => t <= end).length;
          expect(passed).toBeLessThanOrEqual(5 + (100 * end) / 1000 + 1e-6);
        }
      }),
      { numRuns: 25 },
    );
  });
});
