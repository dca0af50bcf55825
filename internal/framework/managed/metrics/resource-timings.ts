import type { Deps } from '../../base/deps.ts';
import { parseTimestamp } from '../../base/time/formats.ts';
import type { ReconcilerMemory } from '../../controller/reconcile/reconciler.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';
import { getCondition, typeReady, typeSynced } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';

/**
 * Times of the resources of a kind: to the first reconcile, to readiness, of a deletion, of a drift. Names and
 * buckets are those of crossplane-runtime (`MRMetricRecorder`).
 */
export interface ResourceTimings {
  /** A reconcile starts. */
  begun(memory: TimingMemory, resource: Managed): void;
  /** The external resource is up to date. */
  unchanged(memory: TimingMemory, resource: Managed): void;
  /** The external resource differed and was updated. */
  updated(memory: TimingMemory, resource: Managed): void;
  /** The finalizer of the deleted resource was removed. */
  released(resource: Managed): void;
}

/** What is kept of a resource, with its timing. */
type TimingMemory = ReconcilerMemory<{ readonly timing?: Timing }>;

export interface ResourceTimingsOptions extends Pick<Deps, 'clock' | 'metrics'> {
  readonly type: ResourceType;
}

/** The state of the resource with this uid, not of an earlier one of the same name. */
export interface Timing {
  readonly uid: string | undefined;
  /** Not ready so far, and known to this process since its creation. */
  fresh: boolean;
  /** When it was last up to date, by the monotonic clock. */
  upToDateAt: number | undefined;
}

/** 10 ns to 10 s. */
const SHORT = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];
/** 1 s to an hour. */
const LONG = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];

export function createResourceTimings({ type, metrics, clock }: ResourceTimingsOptions): ResourceTimings {
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({
      name: `crossplane_managed_resource_${name}_seconds`,
      help,
      labels: ['gvk'],
      buckets,
    });
  const toReconcile = histogram(
    'first_time_to_reconcile',
    'The time it took for a managed resource to be detected by the controller',
    SHORT,
  );
  const toReadiness = histogram(
    'first_time_to_readiness',
    'The time it took for a managed resource to become ready first time after creation',
    LONG,
  );
  const deletion = histogram('deletion', 'The time it took for a managed resource to be deleted', LONG);
  const drift = histogram(
    'drift',
    'The time since the previous successful reconcile when a resource was found to be out of sync',
    SHORT,
  );
  const labels = { gvk: `${apiVersionOf(type)}, Kind=${type.kind}` };
  const timingOf = (memory: TimingMemory, { metadata: { uid } }: Managed): Timing => {
    const known = memory.get()?.timing;
    if (known !== undefined && known.uid === uid) return known;
    const timing: Timing = { uid, fresh: false, upToDateAt: undefined };
    memory.set({ ...memory.get(), timing });
    return timing;
  };
  /** Timestamps have whole seconds. */
  const since = (timestamp: string | undefined): number | undefined => {
    const at = parseTimestamp(timestamp);
    return at === undefined ? undefined : Math.max(0, clock.now() - at) / 1000;
  };
  return {
    begun: (memory, resource) => {
      if (getCondition(resource, typeSynced) !== undefined) return;
      timingOf(memory, resource).fresh = true;
      const seconds = since(resource.metadata.creationTimestamp);
      if (seconds !== undefined) toReconcile.observe(seconds, labels);
    },
    unchanged: (memory, resource) => {
      const timing = timingOf(memory, resource);
      timing.upToDateAt = clock.monotonic();
      if (!timing.fresh || getCondition(resource, typeReady)?.status !== 'True') return;
      timing.fresh = false;
      const seconds = since(resource.metadata.creationTimestamp);
      if (seconds !== undefined) toReadiness.observe(seconds, labels);
    },
    updated: (memory, resource) => {
      const timing = timingOf(memory, resource);
      const now = clock.monotonic();
      if (timing.upToDateAt !== undefined) drift.observe((now - timing.upToDateAt) / 1000, labels);
      timing.upToDateAt = now;
    },
    released: ({ metadata }) => {
      const seconds = since(metadata.deletionTimestamp);
      if (seconds !== undefined) deletion.observe(seconds, labels);
    },
  };
}
