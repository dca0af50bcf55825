import { describe, expect, test } from '@jest/globals';
import { countValues, jsonSize } from './json-size.ts';

describe('the size of a value is about that of its JSON text', () => {
  test.each<[string, unknown]>([
    ['text', 'x'.repeat(1000)],
    ['list', Array.from({ length: 1000 }, (_, n) => n)],
    ['object', Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key-${n}`, { n, text: 'y' }]))],
  ])('%s', (_, value) => {
    const actual = JSON.stringify(value).length;
    const size = jsonSize(value, 1e6);
    expect(size).toBeGreaterThan(0.7 * actual);
    expect(size).toBeLessThan(1.5 * actual);
  });
});

test('counting ends at the limit, and does not overflow the stack', () => {
  const list = new Proxy(new Array(1e6).fill(1), {
    get: (target, name) => {
      if (name === '5000') throw new Error('it was read');
      return Reflect.get(target, name);
    },
  });
  expect(jsonSize(list, 100)).toBe(100);
  const levels = 100_000;
  expect(jsonSize(JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`), 1e6)).toBe(2 * levels + 4);
});

test('fields and elements of all levels are counted, up to the limit', () => {
  expect(countValues({ a: 1, b: [1, { c: null }], d: {} }, 100)).toBe(6);
  expect([countValues('text', 100), countValues(undefined, 100), countValues([], 100)]).toEqual([0, 0, 0]);
  expect(countValues({ list: Array(1000).fill([]) }, 50)).toBe(50);
});
