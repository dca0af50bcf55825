import { expect, test } from '@jest/globals';
import { codesOf, describeErrors, isRetryable } from './last-errors.ts';

const errors = (...codes: string[]) => codes.map((code) => ({ description: code, codes: [code] }));

const PASSING = [
  'ERR_RETRYABLE_CONFIGURATION_PROBLEM',
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_RETRYABLE_INFRA_DEPENDENCIES',
  'ERR_INFRA_RATE_LIMITS_EXCEEDED',
  'ERR_INFRA_QUOTA_EXCEEDED',
  'ERR_PROBLEMATIC_WEBHOOK',
  'ERR_INFRA_DEPENDENCIES',
];

test('[I53] [I54] each error that may pass is retryable, and so is one that is not known', () => {
  for (const code of [...PASSING, 'ERR_NEW']) expect([code, isRetryable(errors(code))]).toEqual([code, true]);
  expect(isRetryable([{ description: 'no code' }])).toBe(true);
});

test('[I55] [I56] refused credentials or rights are terminal, also among errors that may pass', () => {
  expect(isRetryable(errors('ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'))).toBe(false);
  for (const code of ['ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'])
    expect(isRetryable(errors(...PASSING, code))).toBe(false);
});

test('[I57] no errors are not retryable', () => {
  expect([isRetryable([]), isRetryable(undefined)]).toEqual([false, false]);
});

test('[I58] descriptions are numbered', () => {
  const described = [{ description: 'First description' }, { description: 'Second description' }];
  expect(describeErrors(described)).toBe('1) First description 2) Second description ');
});

test('codes are listed once', () => {
  expect(codesOf(errors('A', 'B', 'A'))).toEqual(['A', 'B']);
});
