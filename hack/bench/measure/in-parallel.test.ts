import { expect, test } from '@jest/globals';
import { inParallel, range } from './in-parallel.ts';

test('all items are worked on, never more than the limit at a time, and results keep the order', async () => {
  let busy = 0;
  let most = 0;
  const results = await inParallel(
    range(20),
    async (item) => {
      most = Math.max(most, ++busy);
      for (let turn = 0; turn < (item % 3) + 1; turn++) await Promise.resolve();
      busy--;
      return 2 * item;
    },
    4,
  );
  expect(results).toEqual(range(20).map((item) => 2 * item));
  expect(most).toBe(4);
});

test('the first failure is the outcome', async () => {
  const work = async (item: number) => {
    if (item === 2) throw new Error('two');
  };
  await expect(inParallel(range(5), work, 2)).rejects.toThrow('two');
});

test('no items are no work', async () => {
  expect(await inParallel([], async () => 1)).toEqual([]);
});
