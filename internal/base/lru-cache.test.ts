import { expect, test } from '@jest/globals';
import { createLruCache } from './lru-cache.ts';

test('beyond its bound it forgets what was used least recently', () => {
  const cache = createLruCache<string, number>(3);
  for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index);
  cache.get('a');
  cache.set('d', 3);
  expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
});

test('it stays within its bound however much goes through it, and an entry that is replaced counts once', () => {
  const cache = createLruCache<number, number>(100);
  for (let i = 0; i < 10_000; i++) cache.set(i % 150, i);
  for (let i = 0; i < 1000; i++) cache.set(7, i);
  expect(cache.size).toBe(100);
});
