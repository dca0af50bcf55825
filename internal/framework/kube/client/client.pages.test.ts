import { describe, expect, test } from '@jest/globals';
import { pagesOf } from './client.ts';

/** Pages with one number each. */
const collection = (count: number) => {
  const asked: (string | undefined)[] = [];
  const list = async ({ continue: at }: { readonly continue?: string }) => {
    asked.push(at);
    const index = Number(at ?? 0);
    return {
      items: [index],
      resourceVersion: '1',
      ...(index + 1 < count ? { continue: String(index + 1) } : {}),
    };
  };
  return { asked, list };
};

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const page of pages) read.push(page);
  return read;
}

describe('the pages of a collection', () => {
  test('are read one after the other until there is no more', async () => {
    const { asked, list } = collection(3);
    expect(await all(pagesOf(list))).toEqual([[0], [1], [2]]);
    expect(asked).toEqual([undefined, '1', '2']);
  });

  test('end with a token that is empty', async () => {
    const list = async () => ({ items: [1], resourceVersion: '1', continue: '' });
    expect(await all(pagesOf(list))).toEqual([[1]]);
  });

  test.each([
    [3, 3, 0],
    [4, 3, 1],
  ])('%s, of which %s are read, say %s times that there are more', async (count, max, times) => {
    const { asked, list } = collection(count);
    let more = 0;
    await all(pagesOf(list, { max, onMore: () => more++ }));
    expect([asked.length, more]).toEqual([max, times]);
  });

  test('are read only as far as they are used', async () => {
    const { asked, list } = collection(9);
    for await (const [first] of pagesOf(list)) if (first === 1) break;
    expect(asked).toHaveLength(2);
  });
});
