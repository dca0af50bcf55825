import { describe, expect, test } from '@jest/globals';
import { mergedValues, nestedValues, type Values } from './values.ts';

describe('dotted keys', () => {
  test.each<readonly [Values, Values]>([
    [{}, {}],
    [{ a: 1 }, { a: 1 }],
    [{ 'a.b.c': 1, 'a.b.d': 2, 'a.e': 3 }, { a: { b: { c: 1, d: 2 }, e: 3 } }],
    [{ a: { b: 1, c: 2 }, 'a.b': 3 }, { a: { b: 3, c: 2 } }],
    [{ 'a.b': { x: 1 }, a: { b: { y: 2 } } }, { a: { b: { x: 1, y: 2 } } }],
    // A text gives way to the map of a longer key, whatever their order in the request.
    [{ 'a.b': 1, a: 'text' }, { a: { b: 1 } }],
    [{ a: 'text', 'a.b': 1 }, { a: { b: 1 } }],
    [{ 'a.b': 1, 'a.b.c': 2 }, { a: { b: { c: 2 } } }],
    [{ 'list.0': 1 }, { list: { 0: 1 } }],
    [
      { 'global.domainName': 'example.com', x: null },
      { global: { domainName: 'example.com' }, x: null },
    ],
    [{ 'a..b': 1 }, { a: { '': { b: 1 } } }],
  ])('[R79] %p become %p', (configuration, expected) => {
    expect(nestedValues(configuration)).toEqual(expected);
  });

  test('the order of keys does not matter', () => {
    const entries = [
      ['z', 1],
      ['a.b', 2],
      ['a', { b: 3, c: 4 }],
      ['a.b.d', 5],
    ] as const;
    const results = [entries, [...entries].reverse()].map((some) =>
      JSON.stringify(nestedValues(Object.fromEntries(some))),
    );
    expect(results[0]).toBe(results[1]);
  });

  test('a key with very many segments is refused, and many keys take little work', () => {
    expect(() => nestedValues({ ['.'.repeat(45_000)]: 1 })).toThrow(
      'a key of the configuration: want at most',
    );
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a.b.k${i}`, i]));
    expect(Object.keys((nestedValues(many) as { a: { b: object } }).a.b)).toHaveLength(20_000);
  });

  test('the names of what objects inherit are keys like others', () => {
    const values = nestedValues(JSON.parse('{"__proto__.polluted": 1, "constructor.prototype.polluted": 2}'));

    expect(Object.hasOwn(values, '__proto__')).toBe(true);
    expect(({} as Values).polluted).toBeUndefined();
  });
});

test('[R79] maps are merged, lists and texts are replaced; the arguments stay as they are', () => {
  const base = { a: { x: 1, list: [1, 2] }, b: 'text', c: { d: 1 } };
  const over = { a: { y: 2, list: [3] }, b: { z: 1 }, c: null };

  expect(mergedValues(base, over)).toEqual({ a: { x: 1, y: 2, list: [3] }, b: { z: 1 }, c: null });
  expect(base).toEqual({ a: { x: 1, list: [1, 2] }, b: 'text', c: { d: 1 } });
});
