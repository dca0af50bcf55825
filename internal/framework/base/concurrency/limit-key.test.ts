import { expect, test } from '@jest/globals';
import { NotAdmittedError, reserveNothing } from './limit-key.ts';

test('a request that is not admitted is throttled, and names the keys without a slot', () => {
  const limitKeys = [{ name: 'host a', slots: 1 }, { name: 'cluster b' }];
  const error = new NotAdmittedError(limitKeys);
  expect(error).toMatchObject({
    kind: 'throttled',
    message: 'no slot is free under host a, cluster b',
    limitKeys,
  });
});

test('without a limit each key is reserved and released', () => {
  expect(reserveNothing([{ name: 'host a' }])()).toBeUndefined();
});
