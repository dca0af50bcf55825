import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonEqual } from './json-equal.ts';

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
