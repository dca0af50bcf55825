import { expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import { mappingKind } from './status.ts';

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

test('what was observed, or only asked for, reads back as the identity that a deletion goes by', () => {
  const seen = resource();
  mappingKind.notePresent(seen, identity, clock);
  expect(seen.status?.atProvider?.hana).toEqual({
    mappingId: { serviceInstanceID: 'i', primaryID: 'c', secondaryID: 'shop' },
    ready: true,
  });
  const asked = resource();
  mappingKind.noteRequested(asked, identity);
  expect(asked.status?.atProvider?.hana?.ready).toBe(false);
  for (const each of [seen, asked]) expect(mappingKind.recordsOf(each).known).toEqual(identity);
});

test('a mapping that is gone stays on record', () => {
  const gone = resource();
  mappingKind.notePresent(gone, identity, clock);
  mappingKind.noteAbsent(gone, clock);
  expect(gone.status?.atProvider?.hana?.ready).toBe(false);
  expect(mappingKind.recordsOf(gone).known).toEqual(identity);
});

test('a mapping that the Go provider made without a namespace is known too, or it would stay behind', () => {
  const taken = resource();
  taken.status = {
    atProvider: { hana: { mappingId: { serviceInstanceID: 'i', primaryID: 'c' }, ready: true } },
  };
  const { secondaryID: _, ...whole } = identity;
  expect(mappingKind.recordsOf(taken).known).toEqual(whole);
});
