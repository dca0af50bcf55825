import { expect, test } from '@jest/globals';
import type { ObjectEvent } from '../record-objects.ts';
import { providerWrites } from './provider-writes.ts';

const event = (type: string, metadata: object, status?: object): ObjectEvent => ({
  type,
  object: { kind: 'ServiceInstance', metadata: { uid: 'u-1', name: 'orders', ...metadata }, status },
});

test('status, finalizer and external name are writes of the provider; labels are not', () => {
  const finalizers = ['x'];
  const annotations = { 'crossplane.io/external-name': 'i-1' };
  const events = [
    event('ADDED', {}),
    event('MODIFIED', { labels: { in: 'use' } }),
    event('MODIFIED', { finalizers, annotations }),
    event('MODIFIED', { finalizers, annotations }, { ready: true }),
    event('MODIFIED', { finalizers, annotations, labels: { in: 'use' } }, { ready: true }),
    event('DELETED', { finalizers, annotations }, { ready: true }),
  ];
  expect(providerWrites(events)).toEqual(['ServiceInstance/orders', 'ServiceInstance/orders']);
});
