import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../errors/errors.ts';
import {
  assertNesting,
  cloneJson,
  countValues,
  deepFreeze,
  jsonEqual,
  jsonSize,
  maxNesting,
  ownMember,
  setAt,
  stringAt,
  valueAt,
} from './json-value.ts';

const object: Record<string, unknown> = JSON.parse('{"a": "b", "__proto__": "own"}');

test('a member is found by its name', () => {
  expect(ownMember(object, 'a')).toBe('b');
  expect(ownMember(object, '__proto__')).toBe('own');
});

test.each(['constructor', 'toString', 'valueOf', '__defineGetter__', 'x'])(
  '%s is no member, though every object may have it by its prototype',
  (name) => {
    expect(ownMember(object, name)).toBeUndefined();
    expect(valueAt(object, [name])).toBeUndefined();
    expect(stringAt(object, [name])).toEqual({ state: 'absent' });
  },
);

test.each<[what: string, value: unknown, field: ReturnType<typeof stringAt>]>([
  ['a text', 'x', { state: 'ok', value: 'x' }],
  ['null', null, { state: 'absent' }],
  ['a number', 1, { state: 'wrong-type', found: 'number' }],
  ['a list', ['x'], { state: 'wrong-type', found: 'array' }],
])('as text, %s', (_, value, field) => {
  expect(stringAt({ a: { b: value } }, ['a', 'b'])).toEqual(field);
});

test.each<[what: string, path: readonly string[], after: unknown]>([
  ['beside others', ['a', 'c'], { a: { b: 1, c: 'new' } }],
  ['below one that is missing', ['x', 'y', 'z'], { a: { b: 1 }, x: { y: { z: 'new' } } }],
  ['below one that is no object', ['a', 'b', 'c'], { a: { b: { c: 'new' } } }],
  ['of one step', ['a'], { a: 'new' }],
])('a value is set at a path %s; objects on the way are copied', (_, path, after) => {
  const inner = { b: 1 };
  const object: Record<string, unknown> = { a: inner };
  setAt(object, path, 'new');
  expect([object, inner]).toEqual([after, { b: 1 }]);
});

test('nothing has no members', () => {
  expect(ownMember(undefined, 'a')).toBeUndefined();
});

test.each<{ a: unknown; b: unknown; equal: boolean; reason: string }>([
  { a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, equal: true, reason: 'the order of keys means nothing' },
  { a: { x: 1, y: undefined }, b: { x: 1 }, equal: true, reason: 'undefined is not written' },
  { a: undefined, b: undefined, equal: true, reason: 'nothing equals nothing' },
  { a: undefined, b: {}, equal: false, reason: 'an empty object is written' },
  { a: [1, 2], b: [2, 1], equal: false, reason: 'the order of a list means something' },
  { a: { x: 1 }, b: { x: 1, y: undefined }, equal: true, reason: 'nor is it in the second value' },
  { a: { x: 1 }, b: { x: 1, y: 2 }, equal: false, reason: 'a member more is another value' },
  { a: { x: null }, b: {}, equal: false, reason: 'null is written' },
  { a: [], b: {}, equal: false, reason: 'a list is no object' },
  { a: {}, b: { constructor: 1 }, equal: false, reason: 'what every object inherits is none of its members' },
  { a: new Date(0), b: new Date(1), equal: false, reason: 'a time is written as text' },
  { a: { toJSON: 1 }, b: { toJSON: 1 }, equal: true, reason: 'a member may bear any name' },
  { a: { x: { y: [1] } }, b: { x: { y: ['1'] } }, equal: false, reason: 'types count' },
])('$a and $b: $reason', ({ a, b, equal }) => {
  expect(jsonEqual(a, b)).toBe(equal);
});

test('it is what comparing the written texts says, whatever the JSON', () => {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(sorted);
    return Object.fromEntries(
      Object.entries(value)
        .sort(([x], [y]) => (x < y ? -1 : 1))
        .map(([name, member]) => [name, sorted(member)]),
    );
  };
  const text = (value: unknown) => JSON.stringify(sorted(value));
  const small = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') });
  fc.assert(fc.property(small, small, (a, b) => jsonEqual(a, b) === (text(a) === text(b))));
  fc.assert(fc.property(fc.jsonValue(), (a) => jsonEqual(a, JSON.parse(JSON.stringify(a)))));
});

test('a copy is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(cloneJson(value))).toBe(JSON.stringify(value));
    }),
  );
});

test('nothing of the copy is shared with the original, and all of it may be changed', () => {
  const original = Object.freeze({ list: Object.freeze([Object.freeze({ deep: 1 })]) });
  const copy = cloneJson<{ list: { deep: number }[] }>(original as never);
  copy.list[0] = { deep: 2 };
  copy.list.push({ deep: 3 });
  expect(original).toEqual({ list: [{ deep: 1 }] });
  expect(cloneJson(original).list[0]).not.toBe(original.list[0]);
});

test('a member without a value stays one', () => {
  expect(Object.keys(cloneJson({ a: undefined, b: null }))).toEqual(['a', 'b']);
});

test('a member named like the prototype is a member', () => {
  const copy = cloneJson(JSON.parse('{"__proto__":{"x":1}}'));
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test('a value that is nested too deeply is refused, before the stack overflows', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(cloneJson(nested(maxNesting))).toEqual(nested(maxNesting));
  expect(() => assertNesting(nested(maxNesting))).not.toThrow();
  for (const levels of [maxNesting + 1, 10_000]) {
    for (const refuse of [cloneJson, assertNesting])
      expect(() => refuse(nested(levels))).toThrow(
        new ProviderError('terminal', 'the object is nested deeper than 500 levels'),
      );
  }
});

test('everything that the value contains is frozen, and equal to what it was', () => {
  const value = { list: [{ deep: { text: 'a' } }], none: null, number: 1 };
  const before = structuredClone(value);
  expect(deepFreeze(value)).toBe(value);
  expect(value).toEqual(before);
  expect([value, value.list, value.list[0], value.list[0]?.deep].every(Object.isFrozen)).toBe(true);
});

test('the nesting that an API server accepts does not overflow the stack', () => {
  const value = JSON.parse(`${'[{"a":'.repeat(5000)}1${'}]'.repeat(5000)}`);
  expect(deepFreeze(value)).toBe(value);
  expect(Object.isFrozen(value[0].a[0])).toBe(true);
});

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
