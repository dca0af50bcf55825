import { expect, test } from '@jest/globals';
import type { ServiceBinding } from '../resource.ts';
import { backupBinding, backupNames } from './rotate.ts';

const binding = (name: string, spec: Partial<ServiceBinding['spec']> = {}): ServiceBinding => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceBinding',
  metadata: { name, namespace: 'team', uid: 'uid-1', labels: { app: 'x' } },
  spec: { serviceInstanceName: 'db', ...spec },
});

test('a backup has the spec of its origin, names of its own, and no rotation', () => {
  const policy = { enabled: true, rotationFrequency: '1h', rotatedBindingTTL: '2h' };
  const origin = binding('orders', {
    externalName: 'external',
    secretName: 'secret',
    secretKey: 'all',
    credentialsRotationPolicy: policy,
  });
  const { metadata, spec } = backupBinding(origin, 'binding-1');
  const suffix = metadata.name.slice('orders'.length);
  expect(suffix).toMatch(/^-[a-z0-9]{6}$/);
  expect(spec).toEqual({
    serviceInstanceName: 'db',
    externalName: `external${suffix}`,
    secretName: `secret${suffix}`,
    secretKey: 'all',
    credentialsRotationPolicy: { ...policy, enabled: false },
  });
  expect(metadata).toMatchObject({
    namespace: 'team',
    labels: {
      'services.cloud.sap.com/stale': 'binding-1',
      'services.cloud.sap.com/rotationOf': 'orders',
    },
    annotations: { 'services.cloud.sap.com/original-binding-name': 'orders' },
    ownerReferences: [{ kind: 'ServiceBinding', name: 'orders', uid: 'uid-1', controller: true }],
  });
  expect(Object.keys(metadata.labels ?? {})).toHaveLength(2);
});

test('its names follow from the replaced binding', () => {
  const origin = binding('orders');
  expect(backupNames(origin, 'binding-1')).toEqual(backupNames(origin, 'binding-1'));
  expect(backupNames(origin, 'binding-1')).not.toEqual(backupNames(origin, 'binding-2'));
});

test('[B124] long names are cut to the limits, and end as names may', () => {
  const origin = binding(`${'n'.repeat(245)}.${'m'.repeat(7)}`, { externalName: 'e'.repeat(100) });
  const names = backupNames(origin, 'binding-1');
  expect(names.externalName).toMatch(/^e{93}-[a-z0-9]{6}$/);
  expect(names.name).toMatch(/^n{245}-[a-z0-9]{6}$/);
});

test('a backup of a binding without a policy has none, so that it is kept', () => {
  expect(backupBinding(binding('orders'), 'binding-1').spec).not.toHaveProperty('credentialsRotationPolicy');
});

test('the suffix of the names has six characters for every ID', () => {
  for (let index = 0; index < 50; index++) {
    expect(backupNames(binding('orders'), `binding-${index}`).name).toMatch(/^orders-[a-z0-9]{6}$/);
  }
});
