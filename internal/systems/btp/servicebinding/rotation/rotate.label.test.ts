import { expect, test } from '@jest/globals';
import { labelValueOf } from './rotate.ts';

test.each([
  { reason: 'a shorter one stays', name: 'orders-db', value: 'orders-db' },
  { reason: 'one of 63 characters stays', name: 'a'.repeat(63), value: 'a'.repeat(63) },
  { reason: 'a longer one is cut', name: 'a'.repeat(64), value: 'a'.repeat(63) },
  { reason: 'separators at the cut go', name: `${'a'.repeat(60)}-_.bcd`, value: 'a'.repeat(60) },
  { reason: 'separators within it stay', name: 'a.b-c_d', value: 'a.b-c_d' },
  { reason: 'nothing is left of separators', name: '-_.', value: '' },
  { reason: 'the empty one stays', name: '', value: '' },
])('[B124] [B174] a label value of a name: $reason', ({ name, value }) => {
  expect(labelValueOf(name)).toBe(value);
});
