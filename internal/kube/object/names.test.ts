import { expect, test } from '@jest/globals';
import { nameProblem, notFoundText } from './names.ts';

test.each(['a', 'orders-db', 'a.b', '0', `${'a'.repeat(100)}.${'b'.repeat(152)}`])(
  '%s can be the name of an object',
  (name) => expect(nameProblem(name, 'a Secret')).toBeUndefined(),
);

test.each(['', 'Orders', 'orders_db', 'a/b', '-a', 'a-', 'a..b', '.a', 'a b', 'ä', 'a'.repeat(254)])(
  '%j cannot be the name of an object',
  (name) => expect(nameProblem(name, 'a Secret')).toContain(' cannot be the name of a Secret: a name has '),
);

test('a missing object says whether one of its name could be created', () => {
  expect(notFoundText('orders', 'a Secret')).toBe('not found');
  expect(notFoundText('Orders', 'a Secret')).toMatch(/^not found: "Orders" cannot be the name of a Secret: /);
});
