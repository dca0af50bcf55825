import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { RETRY_DELAY_MS, retryDelayMs, retryTransaction } from './retry-transaction.ts';

const conflict = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code });

/** Runs a transaction whose attempts fail with these SQLSTATEs, then succeed; delays pass at once. */
async function run(codes: readonly string[]) {
  let attempts = 0;
  const clock = createFakeClock();
  const after = (_: number, fn: () => void) => {
    queueMicrotask(fn);
    return () => undefined;
  };
  const immediate = { ...clock, after };
  const result = await retryTransaction(
    async () => {
      const code = codes[attempts++];
      if (code !== undefined) throw conflict(code);
      return 'done';
    },
    { clock: immediate, random: () => 0.5 },
  ).catch((error: Error) => error.message);
  return { result, attempts };
}

test.each([
  { what: 'no conflict', codes: [], result: 'done', attempts: 1 },
  { what: 'serialization failures', codes: ['40001', '40001'], result: 'done', attempts: 3 },
  { what: 'deadlocks', codes: ['40P01', '40P01', '40P01', '40P01'], result: 'done', attempts: 5 },
  { what: 'conflicts without end', codes: Array(9).fill('40001'), result: 'SQLSTATE 40001', attempts: 5 },
  { what: 'a unique violation', codes: ['23505'], result: 'SQLSTATE 23505', attempts: 1 },
])('$what: $attempts attempts, $result', async ({ codes, result, attempts }) => {
  expect(await run(codes)).toEqual({ result, attempts });
});

test('[R82] the delay before the next attempt is between 25 and 350 ms, both included', () => {
  expect(RETRY_DELAY_MS).toEqual({ min: 25, max: 350 });
  expect([0, 1 - Number.EPSILON].map((draw) => retryDelayMs(() => draw))).toEqual([25, 350]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (draw) => {
      const delay = retryDelayMs(() => draw);
      return delay >= 25 && delay <= 350;
    }),
  );
});
