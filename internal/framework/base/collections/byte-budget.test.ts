import { expect, test } from '@jest/globals';
import { createByteBudget, holdBytes, unlimitedBytes } from './byte-budget.ts';

test('no more is taken than there is, and what is given back can be taken again', () => {
  const budget = createByteBudget(10);
  expect([budget.take(6), budget.take(5), budget.take(4), budget.take(1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  budget.give(6);
  expect([budget.take(7), budget.take(6)]).toEqual([false, true]);
});

test('a part takes from the whole, and neither exceeds its own bound', () => {
  const all = createByteBudget(10);
  const [one, other] = [createByteBudget(7, all), createByteBudget(7, all)];
  expect([one.take(8), one.take(7), other.take(4), other.take(3)]).toEqual([false, true, false, true]);
  one.give(7);
  expect(other.take(4)).toBe(true);
  expect(all.take(3)).toBe(true);
});

test('who is trusted is never refused', () => {
  expect(unlimitedBytes.take(Number.MAX_SAFE_INTEGER)).toBe(true);
});

test('what a part holds is given back as a whole, and what is reserved for it is used first', () => {
  const budget = createByteBudget(10);
  budget.take(4);
  const part = holdBytes(budget, 4);
  expect([part.take(3), part.take(3), budget.take(5), budget.take(4), part.take(1)]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
  part[Symbol.dispose]();
  part[Symbol.dispose]();
  expect(part.take(1)).toBe(false);
  expect([budget.take(7), budget.take(6)]).toEqual([false, true]);
});
