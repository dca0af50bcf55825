import { expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { describedIdentity } from './input-refs.ts';
import type { Inputs } from './inputs.ts';

const inputs: Inputs = { findings: [], instance: { id: 'i', name: 'db', ready: true }, clusterID: 'c' };
const { instance, clusterID } = inputs;
const resource = (targetNamespace?: string) =>
  kymaInstanceMapping({
    name: 'a',
    spec: {
      forProvider: {
        serviceInstanceRef: { name: 'db', namespace: 'shop' },
        adminBindingRef: { name: 'admin', namespace: 'admins' },
        ...(targetNamespace === undefined ? {} : { targetNamespace }),
      },
    },
  });

const identity = { serviceInstanceID: 'i', platform: 'kubernetes', primaryID: 'c', secondaryID: 'shop' };

test('the input objects describe a mapping of the cluster and the namespace of the ServiceInstance', () => {
  expect(describedIdentity(resource(), inputs)).toEqual(identity);
});

test('targetNamespace is the namespace of the mapping, unless it is empty', () => {
  expect(describedIdentity(resource('crm'), inputs)).toEqual({ ...identity, secondaryID: 'crm' });
  expect(describedIdentity(resource(''), inputs)).toEqual(identity);
});

test.each([
  { title: 'ServiceInstance', incomplete: { findings: [], clusterID } },
  {
    title: 'instance ID',
    incomplete: { findings: [], instance: { name: 'db', ready: false }, clusterID },
  },
  { title: 'cluster ID', incomplete: { findings: [], instance } },
])('without $title no mapping is described', ({ incomplete }) => {
  expect(describedIdentity(resource(), incomplete as Inputs)).toBeUndefined();
});
