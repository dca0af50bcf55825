import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import type { ReconcilerMemory } from '../../controller/reconcile/reconciler.ts';
import { createPrometheusMetrics } from '../../process/telemetry/prometheus.ts';
import { clusterWidgets, type Widget, widget } from '../fakes/managed-harness.ts';
import { available, reconcileSuccess, setConditions } from '../resource/conditions.ts';
import { createResourceTimings, type Timing } from './resource-timings.ts';

const labels = { gvk: 'example.org/v1, Kind=Widget' };

/** What is kept of one resource. */
function memoryOf(): ReconcilerMemory<{ readonly timing?: Timing }> {
  let kept: { readonly timing?: Timing } | undefined;
  return {
    get: () => kept,
    set: (value) => {
      kept = value;
    },
  };
}

function setup() {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const timings = createResourceTimings({ type: clusterWidgets, metrics, clock });
  const create = (uid = 'uid-w') =>
    widget(clusterWidgets, { metadata: { uid, creationTimestamp: formatTimestamp(clock.now()) } });
  const ready = (resource: Widget) => setConditions(resource, clock, reconcileSuccess(), available());
  const seen = (name: string) => metrics.observations(`crossplane_managed_resource_${name}_seconds`, labels);
  return { clock, memory: memoryOf(), timings, create, ready, seen };
}

describe('the time to the first reconcile', () => {
  test('counts from the creation, in each reconcile of a resource without conditions', async () => {
    const { clock, memory, timings, create, ready, seen } = setup();
    const resource = create();
    await clock.advance(2000);
    timings.begun(memory, resource);
    await clock.advance(1000);
    timings.begun(memory, resource);
    ready(resource);
    timings.begun(memory, resource);
    expect(seen('first_time_to_reconcile')).toEqual([2, 3]);
  });

  test('is never negative, should clocks differ, and nothing without a creation time', () => {
    const { memory, timings, create, seen } = setup();
    const resource = create();
    timings.begun(memory, {
      ...resource,
      metadata: { ...resource.metadata, creationTimestamp: '2030-01-01T00:00:00Z' },
    });
    timings.begun(memory, widget(clusterWidgets));
    expect(seen('first_time_to_reconcile')).toEqual([0]);
  });
});

describe('the time to readiness', () => {
  test('counts from the creation to the first reconcile that finds it ready, once', async () => {
    const { clock, memory, timings, create, ready, seen } = setup();
    const resource = create();
    timings.begun(memory, resource);
    await clock.advance(5000);
    timings.unchanged(memory, resource);
    expect(seen('first_time_to_readiness')).toEqual([]);
    await clock.advance(5000);
    ready(resource);
    timings.unchanged(memory, resource);
    timings.unchanged(memory, resource);
    expect(seen('first_time_to_readiness')).toEqual([10]);
  });

  test('is not guessed for a resource with conditions of an earlier process', async () => {
    const { memory, timings, create, ready, seen } = setup();
    const resource = create();
    ready(resource);
    timings.begun(memory, resource);
    timings.unchanged(memory, resource);
    expect(seen('first_time_to_readiness')).toEqual([]);
  });

  test('of a successor by the same name is its own', async () => {
    const { clock, memory, timings, create, ready, seen } = setup();
    const first = create();
    timings.begun(memory, first);
    ready(first);
    timings.unchanged(memory, first);
    await clock.advance(60_000);
    const second = create('uid-second');
    timings.begun(memory, second);
    await clock.advance(3000);
    ready(second);
    timings.unchanged(memory, second);
    expect(seen('first_time_to_readiness')).toEqual([0, 3]);
  });

  test('of two with the same name in two namespaces is distinguished', async () => {
    const { clock, timings, create, ready, seen } = setup();
    const [shop, office] = [memoryOf(), memoryOf()];
    const [a, b] = [create('uid-a'), create('uid-b')];
    timings.begun(shop, a);
    timings.begun(office, b);
    ready(a);
    timings.unchanged(shop, a);
    await clock.advance(7000);
    ready(b);
    timings.unchanged(office, b);
    expect(seen('first_time_to_readiness')).toEqual([0, 7]);
  });
});

describe('the duration of a difference', () => {
  test('counts from the last reconcile without one', async () => {
    const { clock, memory, timings, create, seen } = setup();
    const resource = create();
    timings.unchanged(memory, resource);
    await clock.advance(60_000);
    timings.updated(memory, resource);
    await clock.advance(500);
    timings.updated(memory, resource);
    expect(seen('drift')).toEqual([60, 0.5]);
  });

  test('is not guessed without such a reconcile, e.g. by a previous process', async () => {
    const { memory, timings, create, seen } = setup();
    const replaced = memoryOf();
    timings.updated(memory, create());
    timings.unchanged(replaced, create());
    timings.updated(replaced, create('uid-second'));
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
  const memory = memoryOf();
  const timings = createResourceTimings({ type: clusterWidgets, metrics, clock });
  const resource = widget(clusterWidgets, { metadata: { creationTimestamp: formatTimestamp(clock.now()) } });
  timings.begun(memory, resource);
  setConditions(resource, clock, available());
  timings.unchanged(memory, resource);
  timings.updated(memory, resource);
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
