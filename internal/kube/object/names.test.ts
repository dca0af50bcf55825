import { expect, test } from '@jest/globals';
import { nameProblem } from './names.ts';

test.each(['a', 'orders-db', 'a.b', '0', `${'a'.repeat(100)}.${'b'.repeat(152)}`])(
  '%s can be the name of an object',
  (name) => expect(nameProblem(name, 'a Secret')).toBeUndefined(),
);

test.each(['', 'Orders', 'orders_db', 'a/b', '-a', 'a-', 'a..b', '.a', 'a b', 'ä', 'a'.repeat(254)])(
  '%j cannot be the name of an object',
  (name) => expect(nameProblem(name, 'a Secret')).toContain(' cannot be the name of a Secret: a name has '),
);
