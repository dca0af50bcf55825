import { expect, test } from '@jest/globals';
import { isDefaultOfCluster, isNamed, secretKeysOfUser, usersOf } from './secret-names.ts';

const settings = { releaseNamespace: 'release', managementNamespace: 'management', namespaceSecrets: true };

test.each([
  { namespace: 'release', name: 'sap-btp-service-operator', expected: true },
  { namespace: 'release', name: 'sap-btp-service-operator-tls', expected: true },
  { namespace: 'release', name: 'other', expected: false },
  { namespace: 'management', name: 'sap-btp-service-operator', expected: false },
])('whether $namespace/$name is the default of the cluster: $expected', ({ expected, ...key }) => {
  expect(isDefaultOfCluster(key, settings)).toBe(expected);
});

test('without Secrets of namespaces, only those of administrators can have credentials', () => {
  const user = { metadata: { namespace: 'shop' }, spec: {} };
  expect(secretKeysOfUser(user, { ...settings, namespaceSecrets: false })).toEqual([
    { namespace: 'management', name: 'shop-sap-btp-service-operator' },
    { namespace: 'release', name: 'sap-btp-service-operator' },
    { namespace: 'management', name: 'shop-sap-btp-service-operator-tls' },
    { namespace: 'release', name: 'sap-btp-service-operator-tls' },
  ]);
});

test.each([
  [true, ['namespace shop']],
  [false, []],
])('a Secret in a namespace of instances is of them if it may be used: %s', (namespaceSecrets, groups) => {
  const key = { namespace: 'shop', name: 'sap-btp-service-operator' };
  expect(usersOf(key, { ...settings, namespaceSecrets })).toEqual({ groups, everyNamespace: false });
});

test.each([
  { key: { namespace: 'management', name: 'own' }, expected: true },
  { key: { namespace: 'management', name: 'other' }, expected: false },
  { key: { namespace: 'shop', name: 'own' }, expected: false },
])('a user names a Secret of the management namespace: $key is one, $expected', ({ key, expected }) => {
  const user = { metadata: { namespace: 'shop' }, spec: { btpAccessCredentialsSecret: 'own' } };
  expect(isNamed(key, user, settings)).toBe(expected);
});
