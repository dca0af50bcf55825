import { expect, test } from '@jest/globals';
import { deepFreeze } from './deep-freeze.ts';

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
