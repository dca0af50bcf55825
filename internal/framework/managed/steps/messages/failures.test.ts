import { expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { failureMessage } from './failures.ts';

test.each([
  { error: new Error('no route'), want: 'connect failed: no route', reason: 'a failure names its step' },
  { error: new WaitingError('no Secret'), want: 'no Secret', reason: 'waiting is not failing' },
  { error: new ProviderError('contested', 'a has it'), want: 'a has it', reason: 'nor is a conflict' },
])('the message of a failed Connect is "$want": $reason', ({ error, want }) => {
  expect(failureMessage('connect', error)).toBe(want);
});
