import { expect, test } from '@jest/globals';
import type { RequiredRight } from '../../framework/module/right.ts';
import { defaultsOf } from '../../framework/process/flag.ts';
import { btpRights, rightsNamespaces } from './rights.ts';
import { type BtpFlags, btpFlags } from './settings/flags.ts';

const flagsWith = (flags: Partial<BtpFlags>): BtpFlags => ({
  ...defaultsOf(btpFlags),
  ...flags,
});
const verbs = (rights: readonly RequiredRight[], plural: string, namespace: string | undefined) =>
  rights
    .filter((right) => right.type.plural === plural && right.namespace === namespace)
    .map(({ verb, name }) => [verb, ...(name === undefined ? [] : [name])].join(' '));
const operatorLease = 'aa689ecc.cloud.sap.com';

test('with access to the cluster only the Lease of the operator is written in one namespace', () => {
  const flags = flagsWith({ releaseNamespace: 'release' });
  expect(rightsNamespaces(flags)).toBeUndefined();
  const rights = btpRights(flags);
  expect(rights.filter(({ namespace }) => namespace !== undefined).map(({ type }) => type.plural)).toEqual([
    'leases',
    'leases',
  ]);
  expect(verbs(rights, 'leases', 'release')).toEqual(['create', `update ${operatorLease}`]);
  expect(verbs(rights, 'leases', undefined)).toEqual(
    ['get', 'list', 'watch'].map((verb) => `${verb} ${operatorLease}`),
  );
});

test('without it, each right is needed in the namespaces of the flags, and Secrets of the management namespace', () => {
  const rights = btpRights(
    flagsWith({
      allowClusterAccess: false,
      allowedNamespaces: 'shop,office',
      releaseNamespace: 'release',
      managementNamespace: 'credentials',
    }),
  );
  expect([...new Set(rights.map(({ namespace }) => namespace))]).toEqual([
    'shop',
    'office',
    'release',
    'credentials',
  ]);
  expect(verbs(rights, 'servicebindings', 'shop')).toEqual(verbs(rights, 'servicebindings', 'release'));
  expect(verbs(rights, 'secrets', 'shop')).toContain('update');
  expect(verbs(rights, 'secrets', 'credentials')).toEqual(['get', 'list', 'watch', 'patch']);
  expect(verbs(rights, 'leases', 'shop')).not.toContain('create');
});

test('outside of the cluster the release namespace is that of the chart', () => {
  const flags = flagsWith({ allowClusterAccess: false });
  expect(rightsNamespaces(flags)).toEqual(['sap-btp-operator']);
});
