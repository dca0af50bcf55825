import { expect, test } from '@jest/globals';
import { eachPage, type ListLimits, type Page } from './pages.ts';

const limits: ListLimits = { pages: 3, items: 6, length: 30 };

/** Reads a list of so many pages with the limits. @returns the items of all of them */
async function read(pages: number, page: Omit<Page<number>, 'token'>): Promise<number[]> {
  const items: number[] = [];
  const fetch = async (token = '0') => {
    const number = Number(token) + 1;
    return { ...page, ...(number < pages ? { token: `${number}` } : {}) };
  };
  await eachPage('list things', fetch, (more) => items.push(...more), limits);
  return items;
}

test.each([
  ['pages', 3, { items: [1], length: 1 }, 4],
  ['items', 3, { items: [1, 2], length: 1 }, 4],
  ['characters', 3, { items: [], length: 10 }, 4],
  ['items of one page', 1, { items: [1, 2, 3, 4, 5, 6], length: 1 }, 2],
])('a list has as many %s as the limit says, and no more', async (_, most, page, tooMany) => {
  expect(await read(most, page)).toHaveLength(most * page.items.length);
  await expect(read(tooMany, page)).rejects.toThrow(
    'cannot list things: the list has more than 3 pages, 6 items or 30 characters',
  );
});
