import { expect, test } from '@jest/globals';
import { createByteBudget, holdBytes, memoryOf } from '../../../../framework/base/index.ts';
import { collectValues } from './listed-objects.ts';

async function* objectsWith(count: number, name: (n: number) => string) {
  for (let n = 0; n < count; n++) yield { name: name(n) };
}
const nameOf = ({ name }: { readonly name: string }) => [name];

test('of objects without end no more than a number is kept', async () => {
  const found = collectValues(
    objectsWith(1_000_000, (n) => `n${n}`),
    nameOf,
    { keep: () => undefined },
  );
  await expect(found).rejects.toThrow('the cluster has more than 20000 objects of a kind');
});

test('of long names no more is kept than there is memory for', async () => {
  const held = holdBytes(createByteBudget(1_000_000));
  const keep = (value: unknown) => {
    if (!held.take(memoryOf(value))) throw new Error('there is no memory');
  };
  const names = (length: number) =>
    collectValues(
      objectsWith(100, (n) => `${n}`.padEnd(length, 'x')),
      nameOf,
      { keep },
    );
  await expect(names(100_000)).rejects.toThrow('there is no memory');
});
