import { describe, expect, test } from '@jest/globals';
import { kymaParentOf } from './kyma-parent.ts';
import { isMappingOf, type MappingIdentity, sameEnvironment, sameIdentity } from './mapping-identity.ts';

const identity: MappingIdentity = {
  serviceInstanceID: 'i-1',
  platform: 'kubernetes',
  primaryID: 'c-1',
  secondaryID: 'shop',
};
const { secondaryID, ...wholeCluster } = identity;

interface Difference {
  readonly of: string;
  readonly other: MappingIdentity;
  readonly isMapping: boolean;
  readonly isEnvironment: boolean;
}
const differences: Difference[] = [
  {
    of: 'instance',
    other: { ...identity, serviceInstanceID: 'i-2' },
    isMapping: true,
    isEnvironment: true,
  },
  {
    of: 'platform',
    other: { ...identity, platform: 'cloudfoundry' },
    isMapping: false,
    isEnvironment: false,
  },
  { of: 'cluster', other: { ...identity, primaryID: 'c-2' }, isMapping: false, isEnvironment: false },
  { of: 'namespace', other: { ...identity, secondaryID: 'crm' }, isMapping: false, isEnvironment: true },
  { of: 'scope', other: wholeCluster, isMapping: false, isEnvironment: true },
];

describe('two identities', () => {
  test('that are equal are one mapping in one environment', () => {
    const copy = { ...identity };
    expect([
      sameIdentity(identity, copy),
      isMappingOf(identity, copy),
      sameEnvironment(identity, copy),
    ]).toEqual([true, true, true]);
  });
  test.each(differences)('of another $of are not the same', ({ other, isMapping, isEnvironment }) => {
    expect(sameIdentity(identity, other)).toBe(false);
    // An entry of the list of one instance does not name the instance.
    expect(isMappingOf(identity, other)).toBe(isMapping);
    expect(sameEnvironment(identity, other)).toBe(isEnvironment);
  });
});

describe('the parent of an InstanceMapping that the Go provider made', () => {
  const owner = {
    apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    name: 'shop',
    uid: 'u',
  };
  const childOf = (...owners: (typeof owner)[]) =>
    kymaParentOf({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', ownerReferences: owners } });

  test('is its owner of this kind, of any version', () => {
    const later = { ...owner, apiVersion: 'inventory.hana.orchestrate.cloud.sap/v2' };
    expect(childOf({ ...owner, kind: 'Other' }, later)).toEqual(later);
  });
  test.each([
    { title: 'of another kind', other: { ...owner, kind: 'Composite' } },
    { title: 'of another group', other: { ...owner, apiVersion: 'example.org/v1alpha1' } },
    {
      title: 'of a group whose name begins the same',
      other: { ...owner, apiVersion: 'inventory.hana.orchestrate.cloud.sap.example.org/v1' },
    },
  ])('is no owner $title', ({ other }) => {
    expect(childOf(other)).toBeUndefined();
  });
  test('is missing without owners', () => {
    expect(kymaParentOf({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } })).toBeUndefined();
  });
});
