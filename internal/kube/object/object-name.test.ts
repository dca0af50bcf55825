import { expect, test } from '@jest/globals';
import { impossibleKey, notFoundText } from './object-name.ts';

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
