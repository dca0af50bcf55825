import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBackoff } from './backoff.ts';

const take = (n: number, next: () => number) => Array.from({ length: n }, next);

describe('createBackoff', () => {
  test('the default waits are 1 s doubled up to 60 s', () => {
    const backoff = createBackoff();
    expect(take(8, () => backoff.next('a'))).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
  });

  test('a forgotten key starts anew and other keys are left alone', () => {
    const backoff = createBackoff();
    take(3, () => backoff.next('a'));
    take(2, () => backoff.next('b'));
    backoff.forget('a');
    expect([backoff.failures('a'), backoff.next('a')]).toEqual([0, 1000]);
    expect([backoff.failures('b'), backoff.next('b')]).toEqual([2, 4000]);
  });

  test('property: waits never shrink, never pass the limit and stay finite however often a key fails', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 2000 }),
        (baseMs, maxMs, attempts) => {
          const backoff = createBackoff({ baseMs, maxMs });
          const waits = take(attempts, () => backoff.next('k'));
          expect(waits).toEqual(waits.toSorted((one, other) => one - other));
          expect(waits.at(-1)).toBeLessThanOrEqual(maxMs);
          expect(backoff.failures('k')).toBe(attempts);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('property: keys do not influence each other in any interleaving', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b'), forget: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const shared = createBackoff();
        const alone = createBackoff();
        for (const { key, forget } of steps) {
          const act = (backoff: typeof shared) => (forget ? backoff.forget(key) : backoff.next(key));
          const seen = act(shared);
          if (key === 'a') expect(seen).toEqual(act(alone));
        }
      }),
    );
  });
});
