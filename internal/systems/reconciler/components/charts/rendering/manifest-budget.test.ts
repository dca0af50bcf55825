import { expect, test } from '@jest/globals';
import { createManifestBudget } from './manifest-budget.ts';

test('objects of a tenant count until the end of their attempt, and leave room for others', () => {
  const budget = createManifestBudget({ maxBytes: 100, maxBytesPerTenant: 60 });
  const attempts = Array.from({ length: 3 }, () => new AbortController());
  const [first, second, third] = attempts.map(({ signal }) => signal);
  if (!first || !second || !third) throw new Error('three are there');

  expect(budget.hold('hostile', 50, first)).toBe(true);
  expect(budget.hold('hostile', 20, second)).toBe(false);
  expect(budget.hold('hostile', 10, second)).toBe(true);
  expect(budget.hasRoom('hostile')).toBe(false);
  expect(budget.hasRoom('honest')).toBe(true);
  expect(budget.hold('honest', 41, third)).toBe(false);
  expect(budget.hold('honest', 40, third)).toBe(true);

  attempts[0]?.abort();
  expect(budget.hold('hostile', 50, first)).toBe(true);
  expect(budget.hasRoom('hostile')).toBe(true);
});
