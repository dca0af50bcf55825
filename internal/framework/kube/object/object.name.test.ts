import { expect, test } from '@jest/globals';
import { impossibleKey, isNameOfSomeKind, isNamespaceName, notFoundText } from './object.ts';

test.each(['a', 'orders-secret', 'orders.v1', '0', 'a'.repeat(253)])(
  'an object can have the name %s',
  (name) => {
    expect(impossibleKey(`shop/${name}`)).toBeUndefined();
    expect(notFoundText(name)).toBe('not found');
  },
);

test.each(['', 'Orders', 'orders_secret', 'shop/a/b', '-a', 'a-', 'a..b', 'my key', 'ä', 'a'.repeat(254)])(
  'no object can have the name %j',
  (name) => {
    expect(notFoundText(name)).toContain('cannot be the name of an object');
  },
);

test.each(['My-Namespace', 'a.b', 'a'.repeat(64)])('no namespace can have the name %s', (namespace) => {
  expect(impossibleKey(`${namespace}/a`)).toBe(
    `"${namespace}" cannot be a namespace, which has lower-case letters, digits and "-" only`,
  );
});

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
  expect(isNameOfSomeKind(name)).toBe(expected);
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
