import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../../base/telemetry/fake-metrics.ts';
import type { FakeExternalBehaviour } from '../../fakes/fake-external.ts';
import {
  clusterWidgets,
  createHarness,
  namespacedWidgets,
  type Widget,
  type WidgetParts,
} from '../../fakes/managed-harness.ts';
import { available, setConditions } from '../../resource/conditions.ts';
import { boom, deleted, drifted, existing, upToDate } from '../scenario.ts';

const created = '2023-12-31T23:59:50Z';
const isReady: FakeExternalBehaviour<Widget>['observe'] = (resource, { clock }) => {
  setConditions(resource, clock, available());
  return upToDate;
};

describe.each([
  { scope: 'Cluster', type: clusterWidgets, gvk: 'example.org/v1, Kind=Widget' },
  { scope: 'Namespaced', type: namespacedWidgets, gvk: 'm.example.org/v1, Kind=Widget' },
])('metric values of a $scope resource', ({ type, gvk }) => {
  /** The observations of consecutive reconciles. */
  async function observed(
    metric: string,
    resource: WidgetParts,
    external: FakeExternalBehaviour<Widget>,
    passes = 1,
  ): Promise<readonly number[]> {
    const metrics = createFakeMetrics();
    const harness = createHarness({ type, resource, external, options: { metrics } });
    for (let i = 0; i < passes; i++) {
      await harness.reconcile();
      await harness.clock.advance(60_000);
    }
    const values = metrics.observations(`crossplane_managed_resource_${metric}_seconds`, { gvk });
    return values.map((seconds) => Math.round(seconds));
  }
  const fresh = { metadata: { creationTimestamp: created } };

  test('[A7] the first reconcile counts from the creation, and only until its outcome is stored', async () => {
    expect(await observed('first_time_to_reconcile', fresh, { connect: boom }, 3)).toEqual([10]);
  });

  test('[A7] readiness counts once, from the creation to the reconcile that finds it', async () => {
    const external = { observe: [{ state: 'absent' as const }, isReady] };
    expect(await observed('first_time_to_readiness', fresh, external, 3)).toEqual([70]);
    expect(await observed('first_time_to_readiness', fresh, { observe: upToDate }, 2)).toEqual([]);
  });

  test('[A7] a corrected difference counts from the last reconcile without one', async () => {
    const observe = [upToDate, drifted, upToDate];
    expect(await observed('drift', existing, { observe }, 3)).toEqual([60]);
    expect(await observed('drift', existing, { observe, update: boom }, 3)).toEqual([]);
    const replaced = { ...drifted, replace: 'drift' as const };
    expect(await observed('drift', existing, { observe: [upToDate, replaced, upToDate] }, 3)).toEqual([60]);
  });

  test('[A7] a deletion counts when the finalizer is gone, orphaned or not', async () => {
    const metadata = { ...deleted.metadata, deletionTimestamp: created };
    expect(await observed('deletion', { metadata }, {})).toEqual([10]);
    const orphaned = { metadata, spec: { managementPolicies: ['Observe'] } };
    expect(await observed('deletion', orphaned, {})).toEqual([10]);
    expect(await observed('deletion', { metadata }, { observe: upToDate })).toEqual([]);
  });

  test('a deletion counts once, however long other finalizers block it', async () => {
    const finalizers = [...(deleted.metadata?.finalizers ?? []), 'other.example.org/hold'];
    const metadata = { ...deleted.metadata, deletionTimestamp: created, finalizers };
    const orphaned = { metadata, spec: { managementPolicies: ['Observe'] } };
    expect(await observed('deletion', orphaned, {}, 3)).toEqual([10]);
  });
});
