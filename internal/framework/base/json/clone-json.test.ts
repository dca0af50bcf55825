import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../errors/errors.ts';
import { assertNesting, cloneJson, maxNesting } from './clone-json.ts';

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
