import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isOlder } from './object.ts';

test('decimal versions are ordered as numbers of any size', () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 64n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isOlder(String(a), String(b))).toBe(a < b);
    }),
  );
});

test.each([
  ['absent', '5'],
  ['5', 'absent'],
  ['', '5'],
  ['1a', '2b'],
])('%j and %j have no order', (a, b) => {
  expect(isOlder(a, b)).toBe(false);
  expect(isOlder(b, a)).toBe(false);
});
