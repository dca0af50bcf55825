import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { median, percentile, spreadBySecond, sum } from './statistics.ts';

describe('a percentile', () => {
  test.each([
    ['of a hundred values leaves one above p99', Array.from({ length: 100 }, (_, i) => i + 1), 0.99, 99],
    ['of few values is the worst of them', [3, 1, 2], 0.99, 3],
    ['of one value is that value', [7], 0.5, 7],
    ['0 is the best one', [3, 1, 2], 0, 1],
    ['1 is the worst one', [3, 1, 2], 1, 3],
  ])('%s', (_reason, values, p, expected) => {
    expect(percentile(values, p)).toBe(expected);
  });

  test('is a measured value with the given share of values below it', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, p) => {
        const found = percentile(all, p);
        expect(all).toContain(found);
        expect(all.filter((value) => value <= found).length).toBeGreaterThanOrEqual(p * all.length);
      }),
    );
  });

  test('of no values is an error', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });
});

test('a median leaves one outlier without effect', () => {
  expect(median([10, 11, 9, 500, 10])).toBe(10);
});

test('a sum of no values is zero', () => {
  expect(sum([])).toBe(0);
  expect(sum([1, 2, 3])).toBe(6);
});

describe('a spread by second', () => {
  test('compares the fullest second with the average of all, empty ones included', () => {
    expect(spreadBySecond([0, 10, 999, 1000, 3999], 0, 4000)).toEqual({ most: 3, mean: 1.25 });
  });

  test('counts only whole seconds of the measured time', () => {
    expect(spreadBySecond([99, 100, 1099, 1100, 2100], 100, 2150)).toEqual({ most: 2, mean: 1.5 });
  });

  test('of less than a second is an error', () => {
    expect(() => spreadBySecond([], 0, 999)).toThrow(RangeError);
  });
});
