import { expect, test } from '@jest/globals';
import * as messages from './messages.ts';

test('a replacement that the policies forbid is described with the difference and the missing policies', () => {
  expect(messages.cannotReplaceText(['Delete', 'Create'], 'clusterID is a, should be b')).toBe(
    'the external resource must be deleted and created again (clusterID is a, should be b), but spec.managementPolicies does not allow Delete and Create',
  );
  expect(messages.cannotReplaceText(['Delete'], undefined)).toBe(
    'the external resource must be deleted and created again, but spec.managementPolicies does not allow Delete',
  );
});

test('a difference that the policies leave alone is described if it is known', () => {
  const allowed = 'is left alone, since spec.managementPolicies does not allow Update';
  expect(messages.driftLeftAloneText('size is 1, should be 2')).toBe(
    `a difference (size is 1, should be 2) ${allowed}`,
  );
  expect(messages.driftLeftAloneText(undefined)).toBe(`a difference ${allowed}`);
});
