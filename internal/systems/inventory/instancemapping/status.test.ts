import { describe, expect, test } from '@jest/globals';
import { instanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { annotationExternalName } from '../../../framework/managed/index.ts';
import { decideIdentity, identityToDelete } from '../mapping/identity/recorded-identity.ts';
import { specIdentity } from './spec-identity.ts';
import { rawMappingKind } from './status.ts';

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
