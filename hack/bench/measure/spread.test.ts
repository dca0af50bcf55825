import { expect, test } from '@jest/globals';
import { spreadBySecond } from './spread.ts';

test('the fullest second is compared with the average of all, empty ones included', () => {
  expect(spreadBySecond([0, 10, 999, 1000, 3999], 0, 4000)).toEqual({ most: 3, mean: 1.25 });
});

test('only whole seconds of the measured time count', () => {
  expect(spreadBySecond([99, 100, 1099, 1100, 2100], 100, 2150)).toEqual({ most: 2, mean: 1.5 });
});

test('less than a second has no spread', () => {
  expect(() => spreadBySecond([], 0, 999)).toThrow(RangeError);
});
