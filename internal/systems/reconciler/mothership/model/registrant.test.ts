import { expect, test } from '@jest/globals';
import { isTenant, registrantOf } from './registrant.ts';

test.each([
  ['team-a/shop', 'team-a'],
  ['team-a/other/shop', 'team-a'],
  ['kcp-system/shop', undefined],
  ['kcp-system-b/shop', 'kcp-system-b'],
  ['shop', undefined],
  ['', undefined],
  // No namespace has such a name.
  ['Team/shop', undefined],
  ['/shop', undefined],
  ['a b/shop', undefined],
])('a namespace is a tenant, unless it is that of operators: %j', (name, namespace) => {
  const registrant = registrantOf({ name });
  expect(isTenant(registrant)).toBe(namespace !== undefined);
  if (namespace !== undefined) expect(registrant).toEqual({ kind: 'namespace', name: namespace });
});
