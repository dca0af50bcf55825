import { expect, test } from '@jest/globals';
import { contains, formatRange, overlaps, parseIpv4Range } from './ipv4-range.ts';

const range = (text: string) => {
  const parsed = parseIpv4Range(text);
  if (parsed === undefined) throw new Error(`${text} is no range`);
  return parsed;
};

test.each([
  ['10.250.0.0/16', '10.250.255.0/24', true],
  ['10.250.0.0/16', '10.250.0.0/16', true],
  ['0.0.0.0/0', '255.255.255.255/32', true],
  ['10.250.0.0/16', '10.251.0.0/24', false],
  ['10.250.0.0/16', '10.0.0.0/8', false],
])('[I132] %s has %s: %s', (outer, inner, expected) => {
  expect(contains(range(outer), range(inner))).toBe(expected);
});

test.each([
  '',
  '10.250.0.0',
  '10.250.0.0/33',
  '10.250.0/16',
  '256.0.0.0/8',
  '10.0.0.01/8',
  '10.0.0.0/08',
  '1e1.0.0.0/8',
  ' 10.0.0.0/8',
  '10.0.0.0/8\n',
  '::ffff:10.0.0.0/104',
  '-1.0.0.0/8',
])('[I132] %j is no range', (text) => {
  expect(parseIpv4Range(text)).toBeUndefined();
});

test('ranges overlap if one has addresses of the other', () => {
  expect(overlaps(range('10.0.0.0/24'), range('10.0.1.0/24'))).toBe(false);
  expect(overlaps(range('10.0.0.0/23'), range('10.0.1.0/24'))).toBe(true);
  expect(overlaps(range('10.0.1.0/24'), range('10.0.0.0/23'))).toBe(true);
});

test('a range is written by its first address', () => {
  expect(formatRange(range('10.250.77.1/16'))).toBe('10.250.0.0/16');
  expect(formatRange(range('255.255.255.255/32'))).toBe('255.255.255.255/32');
});
