import { expect, test } from '@jest/globals';
import { inParallel } from './in-parallel.ts';

test('each item is handled once, in order, and no more at a time than the width', async () => {
  const begun: number[] = [];
  let active = 0;
  let most = 0;
  await inParallel([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++active);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('the first error is that of the whole', async () => {
  const failing = inParallel(['a', 'b'], 1, async (item) => {
    throw new Error(`no ${item}`);
  });
  await expect(failing).rejects.toThrow('no a');
});
