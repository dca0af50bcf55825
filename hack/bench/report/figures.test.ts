import { describe, expect, test } from '@jest/globals';
import { breakdown, type Figure, isMet, number, quantity, ratio, verdict } from './figures.ts';

const figure = (parts: Partial<Figure>): Figure => ({ name: 'x', unit: 'ms', value: 10, ...parts });

test.each([
  [0, '0', 'nothing has no decimals'],
  [3, '3', 'a whole number is a count'],
  [1234.5, '1,235', 'thousands are set apart and need no decimals'],
  [123.45, '123', 'three digits are enough'],
  [12.345, '12.3', 'of them one behind the point'],
  [1.2345, '1.23', 'or two'],
  [0.012, '0.01', 'more would be noise'],
  [0.001, '0', 'nor is there a reason to show what is none'],
  [1.999, '2', 'rounding may make a number whole'],
])('%d is written as %s, since %s', (value, text, _reason) => {
  expect(number(value)).toBe(text);
});

test('a unit follows after a space, a rate without one, a count has none', () => {
  expect(quantity(1.5, 's')).toBe('1.50 s');
  expect(quantity(20_000, '/s')).toBe('20,000/s');
  expect(quantity(4, '')).toBe('4');
});

describe('a ratio is a multiple of the plain cost', () => {
  test.each([
    ['a time by a time', figure({ value: 30, plain: 10 }), '3×'],
    ['a rate the other way round, since more is better', figure({ unit: '/s', value: 10, plain: 50 }), '5×'],
    ['nothing without a plain program', figure({}), ''],
    ['nothing where the plain program has none of it', figure({ plain: 0 }), ''],
    ['nothing where there is none of it', figure({ value: 0, plain: 2 }), ''],
  ])('%s', (_reason, given, text) => {
    expect(ratio(given)).toBe(text);
  });
});

describe('a verdict', () => {
  test.each([
    ['is silent without a target', figure({}), ''],
    ['of a cost is an upper bound', figure({ value: 9, target: 10 }), '≤ 10 ms, met'],
    ['of a rate is a lower bound', figure({ unit: '/s', value: 6000, target: 5000 }), '≥ 5,000/s, met'],
    ['says by how much a cost is too high', figure({ value: 15, target: 10 }), '≤ 10 ms, missed by 50 %'],
    [
      'says by how much a rate is too low',
      figure({ unit: '/s', value: 4000, target: 5000 }),
      '≥ 5,000/s, missed by 20 %',
    ],
    ['of a zero that is not zero knows no share', figure({ unit: '', value: 2, target: 0 }), '≤ 0, missed'],
    [
      'goes by what is shown, not by what is too small to be',
      figure({ unit: '', value: 0.004, target: 0 }),
      '≤ 0, met',
    ],
    ['and the other way round', figure({ unit: '', value: 4.504, target: 4.5 }), '≤ 4.50, met'],
  ])('%s', (_reason, given, text) => {
    expect(verdict(given)).toBe(text);
    expect(isMet(given)).toBe(text === '' ? undefined : text.endsWith('met'));
  });
});

test('a breakdown names the largest part first and leaves out parts of zero', () => {
  expect(breakdown({ 'get secrets': 100, 'list samples': 1, 'update samples': 200 }, 1000)).toBe(
    '0.20 update samples, 0.10 get secrets',
  );
  expect(breakdown({}, 10)).toBe('none');
});
