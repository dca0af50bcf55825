import { expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import { kymaMappingKind, kymaNames } from './status.ts';

const clock = createFakeClock();
const identity: MappingIdentity = {
  serviceInstanceID: 'i',
  platform: 'kubernetes',
  primaryID: 'c',
  secondaryID: 'shop',
};
const namespace = 'shop';
const resource = () =>
  kymaInstanceMapping({
    name: 'shop',
    spec: {
      forProvider: {
        serviceInstanceRef: { name: 'hana', namespace },
        adminBindingRef: { name: 'hana-admin', namespace },
      },
    },
  });

test('the observed or requested identity is the recorded one', () => {
  const present = resource();
  kymaMappingKind.notePresent(present, identity, clock);
  expect(present.status?.atProvider?.hana).toEqual({
    mappingId: { serviceInstanceID: 'i', primaryID: 'c', secondaryID: 'shop' },
    ready: true,
  });
  const requested = resource();
  kymaMappingKind.noteRequested(requested, identity);
  expect(requested.status?.atProvider?.hana?.ready).toBe(false);
  for (const each of [present, requested]) expect(kymaMappingKind.recordsOf(each).known).toEqual(identity);
});

test('the identity of an absent mapping stays recorded', () => {
  const gone = resource();
  kymaMappingKind.notePresent(gone, identity, clock);
  kymaMappingKind.noteAbsent(gone, clock);
  expect(gone.status?.atProvider?.hana?.ready).toBe(false);
  expect(kymaMappingKind.recordsOf(gone).known).toEqual(identity);
});

test('a mapping that the Go provider created without a namespace is recorded', () => {
  const taken = resource();
  taken.status = {
    atProvider: { hana: { mappingId: { serviceInstanceID: 'i', primaryID: 'c' }, ready: true } },
  };
  const { secondaryID: _, ...whole } = identity;
  expect(kymaMappingKind.recordsOf(taken).known).toEqual(whole);
});

test('parses what it formats, also with slashes in the cluster ID', () => {
  const identity = {
    serviceInstanceID: 'i',
    platform: 'kubernetes',
    primaryID: 'eu/10/x',
    secondaryID: 'shop',
  } as const;
  expect(kymaNames.format(identity)).toBe('i/eu/10/x/shop');
  expect(kymaNames.parse('i/eu/10/x/shop')).toEqual(identity);
});

test('a name above the limit of the status fields is not an external name', () => {
  expect(kymaNames.parse(`i/${'c'.repeat(1020)}/n`)).toBeDefined();
  expect(kymaNames.parse(`i/${'c'.repeat(1021)}/n`)).toBeUndefined();
});

test.each(['', 'shop', 'i/c', '/c/n', 'i//n', 'i/c/'])('%j is not an external name', (text) => {
  expect(kymaNames.parse(text)).toBeUndefined();
});
