import { expect, test } from '@jest/globals';
import {
  type KymaInstanceMapping,
  kymaInstanceMapping,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { rowOf } from './overview.ts';

const mapping = (status?: KymaInstanceMapping['status']) => {
  const ref = { name: 'db', namespace: 'shop' };
  const spec = { forProvider: { serviceInstanceRef: ref, adminBindingRef: ref } };
  return kymaInstanceMapping({ name: 'orders', spec, ...(status === undefined ? {} : { status }) });
};

test('a row has the observed values, with the namespace of the mapping', () => {
  const lastTransitionTime = '2024-01-01T00:00:00Z';
  const status: KymaInstanceMapping['status'] = {
    atProvider: {
      hana: { mappingId: { serviceInstanceID: 'i-1', primaryID: 'c-1', secondaryID: 'checkout' } },
    },
    conditions: [
      { type: 'Synced', status: 'False', reason: 'Waiting', lastTransitionTime },
      { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime },
    ],
  };

  expect(rowOf(mapping(status), 0.25)).toEqual(['orders', 'c-1', 'checkout', 'True', 'False', '0.3']);
});

test('an unknown value is a dash', () => {
  expect(rowOf(mapping(), undefined)).toEqual(['orders', '-', '-', '-', '-', '-']);
});
