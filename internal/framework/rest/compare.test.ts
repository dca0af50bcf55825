/** Whether an external resource is as its spec says. */
import { describe, expect, test } from '@jest/globals';
import { covers, differences, isDeleted } from './compare.ts';

test.each<[desired: unknown, observed: unknown, ordered: boolean, unordered: boolean]>([
  [[], undefined, true, true],
  [[], null, true, true],
  [['a'], undefined, false, false],
  [['a'], ['a', 'b'], false, false],
  [['a', 'b'], ['a'], false, false],
  [['a', 'b'], ['b', 'a'], false, true],
  [['a', 'a'], ['a', 'b'], false, false],
  [{ list: ['a', 'b'] }, { list: ['b', 'a'], more: 1 }, false, true],
  [[{ name: 'a' }], [{ name: 'a', id: 1 }], true, true],
  [{ list: [] }, undefined, true, true],
  [{ list: ['a'] }, undefined, false, false],
  ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00.000+01:00', true, true],
  ['2030-01-01', '2030-01-01T00:00:00Z', false, false],
])('%j is covered by %j: in order %s, in any order %s', (desired, observed, ordered, unordered) => {
  expect([covers(desired, observed), covers(desired, observed, true)]).toEqual([ordered, unordered]);
});

test('a difference is cut to a length that a condition can bear', () => {
  const [found] = differences({ fields: { text: {} } }, { text: 'x'.repeat(5000) }, {});
  expect(found?.text).toMatch(/^text is not set, should be "x{30,}/);
  expect(found?.text.length).toBeLessThan(150);
});

describe('an external resource that its API keeps only for a while', () => {
  test.each<[mark: unknown, deleted: boolean, values: readonly string[] | undefined]>([
    ['2030-01-01T00:00:00Z', true, undefined],
    [true, true, undefined],
    [false, false, undefined],
    [null, false, undefined],
    [undefined, false, undefined],
    ['DELETED', true, ['DELETED']],
    ['ACTIVE', false, ['DELETED']],
  ])('is deleted by the mark %j: %s', (mark, deleted, values) => {
    const definition = { deleted: { field: 'mark', ...(values === undefined ? {} : { values }) } };
    expect(isDeleted({ mark }, definition)).toBe(deleted);
  });
});
