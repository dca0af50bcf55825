import { describe, expect, test } from '@jest/globals';
import { type ByteBudget, createByteBudget, createShares, holdBytes, unlimitedBytes } from './byte-budget.ts';

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

describe('shares of a limit', () => {
  /** @returns how much it got, byte by byte */
  const takeAll = (budget: ByteBudget) => {
    let taken = 0;
    while (budget.take(1)) taken++;
    return taken;
  };

  test('a tenant alone gets its part, and no more than there is beside what others have', () => {
    const shares = createShares({ maxBytes: 64, maxBytesPerTenant: 40 });
    expect(shares.of('a').take(41)).toBe(false);
    expect(shares.of('a').take(40)).toBe(true);
    expect(takeAll(shares.of('a'))).toBe(0);
    shares.of('a').give(1);
    expect(takeAll(shares.of('a'))).toBe(1);
  });

  test('no number of tenants takes all, and all get as much in the end', () => {
    const shares = createShares({ maxBytes: 6400, maxBytesPerTenant: 4000 });
    const hostile = ['a', 'b', 'c', 'd'].map((tenant) => shares.of(tenant));
    const had = hostile.map(takeAll);
    expect(had).toEqual([4000, 1500, 562, 211]);
    expect(takeAll(shares.of('honest'))).toBe(79);
    shares.of('honest').give(79);

    for (let round = 0; round < 30; round++) {
      for (const [index, budget] of hostile.entries()) {
        budget.give(had[index] ?? 0);
        had[index] = takeAll(budget);
      }
    }
    // 5/3 of the 835 that are left.
    for (const taken of had) expect(Math.abs(taken - 1391)).toBeLessThan(3);
    expect(takeAll(shares.of('honest'))).toBeGreaterThan(500);
  });

  test('what is given back is there for all, whichever object of the tenant gave it', () => {
    const shares = createShares({ maxBytes: 10, maxBytesPerTenant: 6 });
    expect(shares.of('a').take(6)).toBe(true);
    expect(shares.of('b').take(3)).toBe(false);
    shares.of('a').give(6);
    expect(shares.of('b').take(6)).toBe(true);
  });
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
