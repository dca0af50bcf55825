import { describe, expect, test } from '@jest/globals';
import { instanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { annotationExternalName } from '../../../framework/managed/index.ts';
import { decideIdentity, identityToDelete, type MappingIdentity } from '../mapping/mapping-identity.ts';
import { rawMappingKind, rawNames, specIdentity } from './status.ts';

function resourceWith(externalName?: string) {
  return instanceMapping({
    name: 'orders',
    ...(externalName === undefined ? {} : { annotations: { [annotationExternalName]: externalName } }),
    spec: {
      forProvider: {
        serviceInstanceID: 'i',
        platform: 'kubernetes',
        primaryID: 'c',
        secondaryID: 'shop',
        adminCredentialsSecretRef: { name: 'admin', namespace: 'default', key: 'credentials' },
      },
    },
  });
}

describe('lastSyncTime', () => {
  test('changes with mappingExists, not with every observation', async () => {
    const clock = createFakeClock(Date.UTC(2024, 0, 1));
    const resource = resourceWith();
    const identity = specIdentity(resource);
    const atProvider = () => resource.status?.atProvider;
    rawMappingKind.notePresent(resource, identity, clock);
    const found = { mappingExists: true, lastSyncTime: '2024-01-01T00:00:00Z' };
    expect(atProvider()).toEqual(found);
    await clock.advance(60_000);
    rawMappingKind.notePresent(resource, identity, clock);
    expect(atProvider()).toEqual(found);
    rawMappingKind.noteAbsent(resource, clock);
    expect(atProvider()).toEqual({ mappingExists: false, lastSyncTime: '2024-01-01T00:01:00Z' });
  });
});

describe('the identity of an immutable spec', () => {
  const decide = (externalName?: string) => {
    const resource = resourceWith(externalName);
    return decideIdentity(rawMappingKind.recordsOf(resource), specIdentity(resource));
  };
  test.each([
    { externalName: undefined, want: 'unset' },
    { externalName: 'orders', want: 'unset' },
    { externalName: 'i/kubernetes/c/shop', want: 'settled' },
  ])('an external name $externalName is $want', ({ externalName, want }) => {
    expect(decide(externalName)).toEqual({ kind: want });
  });

  test.each(['i/kubernetes/c/other', 'i/cloudfoundry/c/shop', 'nonsense'])(
    'an external name %s is an error, before anything is made and before anything is deleted',
    (externalName) => {
      expect(() => decide(externalName)).toThrow(externalName);
      expect(() => identityToDelete(rawMappingKind.recordsOf(resourceWith(externalName)))).toThrow(
        externalName,
      );
    },
  );
});

const space: MappingIdentity = {
  serviceInstanceID: 'i',
  platform: 'cloudfoundry',
  primaryID: 'org',
  secondaryID: 'space',
};
const { secondaryID: _, ...organisation } = space;

test.each([
  { name: 'i/cloudfoundry/org/space', identity: space },
  { name: 'i/cloudfoundry/org', identity: organisation },
])('parses $name as formatted', ({ name, identity }) => {
  expect(rawNames.format(identity)).toBe(name);
  expect(rawNames.parse(name)).toEqual(identity);
});

test('a trailing slash without secondaryID is the same mapping', () => {
  expect(rawNames.parse('i/cloudfoundry/org/')).toEqual(organisation);
});

test.each([
  { name: 'orders-db', reason: 'metadata.name' },
  { name: 'i/openstack/p', reason: 'an unknown platform' },
  { name: '/kubernetes/c', reason: 'no instance' },
  { name: 'i/kubernetes/', reason: 'no primaryID' },
  { name: 'i/kubernetes/c/n/x', reason: 'too many parts' },
  { name: 'i/constructor/p', reason: 'a property of Object.prototype is not a platform' },
])('$name is not an external name ($reason)', ({ name }) => {
  expect(rawNames.parse(name)).toBeUndefined();
});
