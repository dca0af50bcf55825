import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import type { Condition } from '../../kube/object/condition.ts';
import { createPrometheusMetrics } from '../../process/telemetry/prometheus.ts';
import type { Managed } from '../resource/managed.ts';
import { startStateMetrics } from './state-metrics.ts';

const type = { group: 'example.org', version: 'v1', kind: 'Bucket', plural: 'buckets', namespaced: false };

function bucket(name: string, ...states: [type: string, status: 'True' | 'False'][]): Managed {
  const conditions = states.map(
    ([conditionType, status]): Condition => ({
      type: conditionType,
      status,
      reason: 'R',
      lastTransitionTime: '',
    }),
  );
  return {
    apiVersion: 'example.org/v1',
    kind: 'Bucket',
    metadata: { name },
    spec: {},
    status: { conditions },
  };
}

function cacheOf(resources: Managed[]): ObjectCache<Managed> {
  return {
    get: () => undefined,
    list: () => resources,
    hasSynced: () => true,
    whenSynced: async () => undefined,
    subscribe: () => () => undefined,
  };
}

test('[A7] counts what exists, is ready and is synced, under the names that dashboards ask for', async () => {
  const clock = createFakeClock();
  const metrics = createPrometheusMetrics();
  const resources = [
    bucket('a', ['Ready', 'True'], ['Synced', 'True']),
    bucket('b', ['Ready', 'True'], ['Synced', 'False']),
    bucket('c'),
  ];
  const stop = startStateMetrics({ type, cache: cacheOf(resources), metrics, clock, intervalMs: 5000 });
  const label = '{gvk="example.org/v1, Kind=Bucket"}';

  expect(await metrics.text()).not.toContain(label);
  await clock.advance(5000);
  for (const line of [`exists${label} 3`, `ready${label} 2`, `synced${label} 1`]) {
    expect(await metrics.text()).toContain(`crossplane_managed_resource_${line}`);
  }
  resources.pop();
  await clock.advance(5000);
  expect(await metrics.text()).toContain(`crossplane_managed_resource_exists${label} 2`);
  stop();
  expect(await metrics.text()).not.toContain(label);
  expect(clock.pending()).toBe(0);
});
