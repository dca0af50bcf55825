import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { createKeyStore } from '../../controller/key-store.ts';
import { createPrometheusMetrics } from '../../process/telemetry/prometheus.ts';
import { clusterWidgets, type Widget, widget } from '../fakes/managed-harness.ts';
import { available, reconcileSuccess, setConditions } from '../resource/conditions.ts';
import { createResourceTimings } from './resource-timings.ts';

const labels = { gvk: 'example.org/v1, Kind=Widget' };

function setup() {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const keys = createKeyStore();
  const timings = createResourceTimings({ type: clusterWidgets, metrics, clock, keys });
  const create = (uid = 'uid-w') =>
    widget(clusterWidgets, { metadata: { uid, creationTimestamp: formatTimestamp(clock.now()) } });
  const ready = (resource: Widget) => setConditions(resource, clock, reconcileSuccess(), available());
  const seen = (name: string) => metrics.observations(`crossplane_managed_resource_${name}_seconds`, labels);
  return { clock, keys, timings, create, ready, seen };
}

describe('the time to the first reconcile', () => {
  test('counts from the creation, in each reconcile of a resource without conditions', async () => {
    const { clock, timings, create, ready, seen } = setup();
    const resource = create();
    await clock.advance(2000);
    timings.begun('w', resource);
    await clock.advance(1000);
    timings.begun('w', resource);
    ready(resource);
    timings.begun('w', resource);
    expect(seen('first_time_to_reconcile')).toEqual([2, 3]);
  });

  test('is never negative, should clocks differ, and nothing without a creation time', () => {
    const { timings, create, seen } = setup();
    const resource = create();
    timings.begun('w', {
      ...resource,
      metadata: { ...resource.metadata, creationTimestamp: '2030-01-01T00:00:00Z' },
    });
    timings.begun('w', widget(clusterWidgets));
    expect(seen('first_time_to_reconcile')).toEqual([0]);
  });
});

describe('the time to readiness', () => {
  test('counts from the creation to the first reconcile that finds it ready, once', async () => {
    const { clock, timings, create, ready, seen } = setup();
    const resource = create();
    timings.begun('w', resource);
    await clock.advance(5000);
    timings.unchanged('w', resource);
    expect(seen('first_time_to_readiness')).toEqual([]);
    await clock.advance(5000);
    ready(resource);
    timings.unchanged('w', resource);
    timings.unchanged('w', resource);
    expect(seen('first_time_to_readiness')).toEqual([10]);
  });

  test('is not guessed for a resource with conditions of an earlier process', async () => {
    const { timings, create, ready, seen } = setup();
    const resource = create();
    ready(resource);
    timings.begun('w', resource);
    timings.unchanged('w', resource);
    expect(seen('first_time_to_readiness')).toEqual([]);
  });

  test('of a successor by the same name is its own', async () => {
    const { clock, timings, create, ready, seen } = setup();
    const first = create();
    timings.begun('w', first);
    ready(first);
    timings.unchanged('w', first);
    await clock.advance(60_000);
    const second = create('uid-second');
    timings.begun('w', second);
    await clock.advance(3000);
    ready(second);
    timings.unchanged('w', second);
    expect(seen('first_time_to_readiness')).toEqual([0, 3]);
  });

  test('of two with the same name in two namespaces is distinguished', async () => {
    const { clock, timings, create, ready, seen } = setup();
    const [a, b] = [create('uid-a'), create('uid-b')];
    timings.begun('shop/w', a);
    timings.begun('office/w', b);
    ready(a);
    timings.unchanged('shop/w', a);
    await clock.advance(7000);
    ready(b);
    timings.unchanged('office/w', b);
    expect(seen('first_time_to_readiness')).toEqual([0, 7]);
  });
});

describe('the duration of a difference', () => {
  test('counts from the last reconcile without one', async () => {
    const { clock, timings, create, seen } = setup();
    const resource = create();
    timings.unchanged('w', resource);
    await clock.advance(60_000);
    timings.updated('w', resource);
    await clock.advance(500);
    timings.updated('w', resource);
    expect(seen('drift')).toEqual([60, 0.5]);
  });

  test('is not guessed without such a reconcile, e.g. by a previous process', async () => {
    const { keys, timings, create, seen } = setup();
    timings.updated('w', create());
    timings.unchanged('v', create());
    timings.updated('v', create('uid-second'));
    timings.unchanged('x', create());
    keys.drop('x');
    timings.updated('x', create());
    expect(seen('drift')).toEqual([]);
  });
});

test('the time of a deletion counts from its request', async () => {
  const { clock, timings, create, seen } = setup();
  const resource = create();
  const metadata = { ...resource.metadata, deletionTimestamp: formatTimestamp(clock.now()) };
  await clock.advance(4000);
  timings.released({ ...resource, metadata });
  timings.released(resource);
  expect(seen('deletion')).toEqual([4]);
});

test('buckets and names are those that dashboards ask for', async () => {
  const metrics = createPrometheusMetrics();
  const clock = createFakeClock();
  const keys = createKeyStore();
  const timings = createResourceTimings({ type: clusterWidgets, metrics, clock, keys });
  const resource = widget(clusterWidgets, { metadata: { creationTimestamp: formatTimestamp(clock.now()) } });
  timings.begun('w', resource);
  setConditions(resource, clock, available());
  timings.unchanged('w', resource);
  timings.updated('w', resource);
  timings.released({
    ...resource,
    metadata: { ...resource.metadata, deletionTimestamp: formatTimestamp(0) },
  });
  const text = await metrics.text();
  const bucketsOf = (name: string) =>
    [
      ...text.matchAll(new RegExp(`crossplane_managed_resource_${name}_seconds_bucket{le="([^"]+)"`, 'g')),
    ].map(([, le]) => Number(le === '+Inf' ? Number.POSITIVE_INFINITY : le));
  const short = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, Number.POSITIVE_INFINITY];
  const long = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, Number.POSITIVE_INFINITY];
  expect(bucketsOf('first_time_to_reconcile')).toEqual(short);
  expect(bucketsOf('drift')).toEqual(short);
  expect(bucketsOf('first_time_to_readiness')).toEqual(long);
  expect(bucketsOf('deletion')).toEqual(long);
  expect(text).toContain('gvk="example.org/v1, Kind=Widget"');
});
