import { type Context, createContext, runInContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { acceptOuterErrors } from './outer-errors.ts';

test('errors of the process are errors of the realm', () => {
  const { realm } = newRealm();
  expect(new TypeError() instanceof realm.Error).toBe(false);

  acceptOuterErrors(realm);

  expect(new Error() instanceof realm.Error).toBe(true);
  expect(new Error() instanceof realm.TypeError).toBe(false);
  expect(new TypeError() instanceof realm.TypeError).toBe(true);
  expect(new TypeError() instanceof realm.Error).toBe(true);
  expect(new TypeError() instanceof realm.RangeError).toBe(false);
});

test('classes of the realm accept their own instances only', () => {
  const { realm, context } = newRealm();
  acceptOuterErrors(realm);
  const Own: typeof Error = runInContext('(class extends Error {})', context);

  expect(new Own() instanceof Own).toBe(true);
  expect(new Own() instanceof realm.Error).toBe(true);
  expect(new Error() instanceof Own).toBe(false);
  expect(new realm.Error() instanceof Own).toBe(false);
});

function newRealm(): { realm: typeof globalThis; context: Context } {
  const context = createContext();
  return { realm: runInContext('globalThis', context), context };
}
