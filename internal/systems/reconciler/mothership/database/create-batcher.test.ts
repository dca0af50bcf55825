import { expect, test } from '@jest/globals';
import { createBatcher } from './create-batcher.ts';

/** A batcher whose transactions end when the test says so. */
function createHarness() {
  const batches: { readonly items: readonly string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const add = createBatcher<string, string>({
    keyOf: (item) => item[0] ?? '',
    run: async (items) => {
      const end = Promise.withResolvers<void>();
      batches.push({ items, end });
      await end.promise;
      return items.map((item) => `done ${item}`);
    },
  });
  return { add, batches, itemsOf: () => batches.map(({ items }) => items) };
}

const settled = () => new Promise((done) => setImmediate(done));

test('single changes run at once; what arrives during two transactions shares the next one', async () => {
  const { add, batches, itemsOf } = createHarness();
  const results = ['a', 'b', 'c', 'd'].map(add);
  expect(itemsOf()).toEqual([['a'], ['b']]);
  batches[0]?.end.resolve();
  await settled();
  expect(itemsOf()).toEqual([['a'], ['b'], ['c', 'd']]);
  for (const { end } of batches) end.resolve();
  expect(await Promise.all(results)).toEqual(['done a', 'done b', 'done c', 'done d']);
});

test('changes with the same key are of different transactions, in their order', async () => {
  const { add, batches, itemsOf } = createHarness();
  const results = ['x', 'y', 'a1', 'a2', 'b'].map(add);
  batches[0]?.end.resolve();
  await settled();
  batches[2]?.end.resolve();
  await settled();
  expect(itemsOf()).toEqual([['x'], ['y'], ['a1', 'b'], ['a2']]);
  for (const { end } of batches) end.resolve();
  await Promise.all(results);
});

test('data that the database refuses fails the change that has it, and no other', async () => {
  const { add, batches, itemsOf } = createHarness();
  const results = ['x', 'y', 'good', 'bad'].map((item) => add(item).catch((error: Error) => error.message));
  batches[0]?.end.resolve();
  await settled();
  batches[2]?.end.reject(Object.assign(new Error('not a number'), { code: '22P02' }));
  await settled();
  batches[3]?.end.resolve();
  await settled();
  batches[4]?.end.reject(Object.assign(new Error('not a number'), { code: '22P02' }));
  batches[1]?.end.resolve();
  expect(await Promise.all(results)).toEqual(['done x', 'done y', 'done good', 'not a number']);
  expect(itemsOf()).toEqual([['x'], ['y'], ['good', 'bad'], ['good'], ['bad']]);
});

test('a lost connection fails all changes of the transaction: repeating each would wait for each', async () => {
  const { add, batches } = createHarness();
  const results = ['x', 'y', 'a', 'b'].map((item) => add(item).catch((error: Error) => error.message));
  batches[0]?.end.resolve();
  await settled();
  batches[2]?.end.reject(new Error('connection lost'));
  batches[1]?.end.resolve();
  expect(await Promise.all(results)).toEqual(['done x', 'done y', 'connection lost', 'connection lost']);
});
