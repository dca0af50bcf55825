import { expect, test } from '@jest/globals';
import { isNamespaceName, isObjectName } from './name.ts';

test.each([
  ['a', true],
  ['shop.example.org', true],
  ['system:controller:job', true],
  ['Orders_Secret', true],
  ['x'.repeat(253), true],
  ['x'.repeat(254), false],
  ['', false],
  ['.', false],
  ['..', false],
  ['a/b', false],
  ['a%2fb', false],
  ['a\nb', false],
  ['\ud800', false],
])('an object may have the name %j: %j', (name, expected) => {
  expect(isObjectName(name)).toBe(expected);
});

test.each([
  ['kyma-system', true],
  ['0', true],
  ['x'.repeat(63), true],
  ['x'.repeat(64), false],
  ['Kyma', false],
  ['a.b', false],
  ['-a', false],
  ['', false],
])('a namespace may have the name %j: %j', (name, expected) => {
  expect(isNamespaceName(name)).toBe(expected);
});
