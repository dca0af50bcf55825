import { expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../../framework/base/telemetry/fake-metrics.ts';
import type { CacheEvent } from '../../../framework/kube/cache/cache.ts';
import { objectCounts } from './object-counts.ts';
import type { ServiceResource } from './service-resource.ts';

const kind = 'ServiceBinding';

function setup() {
  const metrics = createFakeMetrics();
  let handler: (event: CacheEvent<ServiceResource>) => void = () => undefined;
  let isSynced = false;
  const cache = {
    hasSynced: () => isSynced,
    whenSynced: async () => {
      isSynced = true;
    },
    subscribe: (given: typeof handler) => {
      handler = given;
      return () => {
        handler = () => undefined;
      };
    },
  };
  const source = objectCounts(kind, cache, { metrics });
  const stop = source.start(() => {
    throw new Error('it requests nothing');
  });
  const object = (...conditions: readonly string[]): ServiceResource => ({
    apiVersion: 'services.cloud.sap.com/v1',
    kind,
    metadata: { namespace: 'shop', name: 'x' },
    spec: {},
    status: {
      conditions: conditions.map((text) => {
        const [type = '', reason = ''] = text.split(' ');
        return { type, status: 'True' as const, reason, lastTransitionTime: '2026-01-01T00:00:00Z' };
      }),
    },
  });
  return {
    object,
    source,
    stop,
    emit: (event: CacheEvent<ServiceResource>) => handler(event),
    count: (reason: string) => metrics.value('provider_kyma_service_objects', { kind, reason }),
  };
}

test('objects are counted by state, as they change and go', () => {
  const { object, emit, count, stop } = setup();
  const fresh = object();
  const created = object('Succeeded Created', 'Ready Provisioned');
  emit({ type: 'added', object: fresh, initial: true });
  emit({ type: 'added', object: created, initial: true });
  expect([count('Pending'), count('Created')]).toEqual([1, 1]);
  emit({ type: 'updated', old: fresh, object: created });
  expect([count('Pending'), count('Created')]).toEqual([0, 2]);
  emit({ type: 'deleted', object: created });
  expect(count('Created')).toBe(1);
  stop();
  expect(count('Created')).toBe(0);
  emit({ type: 'added', object: created, initial: false });
  expect(count('Created')).toBe(0);
});

test('an object that is gone in Service Manager counts as such', () => {
  const { object, emit, count } = setup();
  emit({ type: 'added', object: object('Ready NotFound'), initial: false });
  expect(count('NotFound')).toBe(1);
});

test('the source is synced as soon as its cache is', async () => {
  const { source } = setup();
  expect(source.hasSynced()).toBe(false);
  await source.whenSynced(new AbortController().signal);
  expect(source.hasSynced()).toBe(true);
});

test('a reason that the operator does not write has no series of its own', () => {
  const { object, emit, count } = setup();
  emit({ type: 'added', object: object('Succeeded Anything'), initial: false });
  expect([count('Anything'), count('Other')]).toEqual([0, 1]);
});
