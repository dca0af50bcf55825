import { expect, test } from '@jest/globals';
import { admitsBindingsOf, allowAnnotation, namespacesAnnotation } from './bindings-of-instances.ts';

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
