import { expect, test } from '@jest/globals';
import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { finalizer } from '../metadata.ts';
import {
  admitsBindingsOf,
  allowAnnotation,
  mayBeBound,
  namespacesAnnotation,
} from './bindings-of-instances.ts';

const instance = (annotations?: Record<string, string>) => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceInstance',
  metadata: { name: 'orders', namespace: 'shop', ...(annotations === undefined ? {} : { annotations }) },
});

test.each([
  ['any namespace', undefined, ['shop', 'shop-2', 'sho', '']],
  ['its own alone', { [allowAnnotation]: ' False ' }, ['shop']],
  ['any namespace, if it allows them', { [allowAnnotation]: 'true' }, ['shop', 'shop-2', 'sho', '']],
  [
    'those that are listed, and its own',
    { [namespacesAnnotation]: 'team-shop-2, shop-2 ,x' },
    ['shop', 'shop-2'],
  ],
  ['its own alone, if the list is empty', { [namespacesAnnotation]: 'none' }, ['shop']],
  [
    'its own alone, if it refuses others that are listed',
    { [namespacesAnnotation]: 'shop-2', [allowAnnotation]: 'false' },
    ['shop'],
  ],
])('an instance can have bindings of %s', (_, annotations, expected) => {
  const namespaces = ['shop', 'shop-2', 'sho', ''];
  expect(namespaces.filter((each) => admitsBindingsOf(instance(annotations), each))).toEqual(expected);
});

const deletionTimestamp = '2026-01-01T00:00:00Z';
const ownFinalizer = { finalizers: [finalizer] };
test.each<[string, object, string | undefined, boolean]>([
  ['is new', {}, undefined, false],
  ['has the finalizer, before it is created', ownFinalizer, undefined, true],
  ['has an ID of another program', {}, 'id', true],
  ['is deleted and has the finalizer', { ...ownFinalizer, deletionTimestamp }, 'id', true],
  // Another finalizer holds it; it was deleted in Service Manager, if this program had made it.
  ['is deleted and has an ID alone', { finalizers: ['other'], deletionTimestamp }, 'id', false],
])('Service Manager may have a binding that %s', (_, metadata, bindingID, expected) => {
  const binding = {
    ...{ apiVersion: 'services.cloud.sap.com/v1', kind: 'ServiceBinding' },
    metadata: { name: 'b', namespace: 'shop', ...metadata },
    spec: { serviceInstanceName: 'orders' },
    ...(bindingID === undefined ? {} : { status: { bindingID } }),
  };
  expect(mayBeBound(binding as ServiceBinding)).toBe(expected);
});
