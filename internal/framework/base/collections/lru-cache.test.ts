import { describe, expect, test } from '@jest/globals';
import { createLruCache, textBytes } from './lru-cache.ts';

const KIB = 1024;

test('beyond its bound it forgets what was used least recently', () => {
  const cache = createLruCache<string, string>({ maxBytes: 64 * KIB, bytesOf: textBytes });
  const value = 'x'.repeat(KIB);
  let last = 0;
  while (cache.size === last) cache.set(`k${last++}`, value);
  cache.clear();
  for (let n = 0; n < last - 1; n++) cache.set(`k${n}`, value);
  cache.get('k0');
  cache.set('another', value);
  expect(cache.has('k0')).toBe(true);
  expect(cache.has('k1')).toBe(false);
});

test('it stays within its bound however much goes through it, and an entry that is replaced counts once', () => {
  const cache = createLruCache<string, number>({ maxBytes: 64 * KIB });
  for (let n = 0; n < 10_000; n++) cache.set(`k${n % 500}`, n);
  expect(cache.calculatedSize).toBeLessThanOrEqual(64 * KIB);
  const { size } = cache;
  for (let n = 0; n < 1000; n++) cache.set('k7', n);
  expect(cache.size).toBe(size);
  expect(cache.size).toBeGreaterThan(200);
});

describe('long texts from outside', () => {
  test('count, as keys and as values', () => {
    const cache = createLruCache<string, string>({ maxBytes: 1024 * KIB, bytesOf: textBytes });
    for (let n = 0; n < 1000; n++) cache.set(`${n}${'k'.repeat(10 * KIB)}`, 'v'.repeat(10 * KIB));
    expect(cache.size).toBeLessThan(30);
  });

  test('that are a large part of the bound are not kept and drive nothing out', () => {
    const cache = createLruCache<string, string>({ maxBytes: 1024 * KIB, bytesOf: textBytes });
    cache.set('small', 'x');
    cache.set('large', 'x'.repeat(100 * KIB));
    cache.set('x'.repeat(100 * KIB), 'y');
    expect([...cache.keys()]).toEqual(['small']);
  });
});
