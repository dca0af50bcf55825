import type { Deps } from '../../base/deps.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { KeyStore } from '../../controller/key-store.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';
import { getCondition, typeReady, typeSynced } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';

/**
 * Times of the resources of a kind: to the first reconcile, to readiness, of a deletion, of a drift. Names and
 * buckets are those of crossplane-runtime (`MRMetricRecorder`).
 */
export interface ResourceTimings {
  /** A reconcile starts. */
  begun(key: string, resource: Managed): void;
  /** The external resource is up to date. */
  unchanged(key: string, resource: Managed): void;
  /** The external resource differed and was updated. */
  updated(key: string, resource: Managed): void;
  /** The finalizer of the deleted resource was removed. */
  released(resource: Managed): void;
}

export interface ResourceTimingsOptions extends Pick<Deps, 'clock' | 'metrics'> {
  readonly type: ResourceType;
  readonly keys: KeyStore;
}

/** The state of the resource with this uid, not of an earlier one of the same name. */
interface Memory {
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

export function createResourceTimings({
  type,
  metrics,
  clock,
  keys,
}: ResourceTimingsOptions): ResourceTimings {
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
  const memories = keys.values<Memory>('timings');
  const memoryOf = (key: string, { metadata: { uid } }: Managed): Memory => {
    const known = memories.get(key);
    if (known !== undefined && known.uid === uid) return known;
    const memory: Memory = { uid, fresh: false, upToDateAt: undefined };
    memories.set(key, memory);
    return memory;
  };
  /** Timestamps have whole seconds. */
  const since = (timestamp: string | undefined): number | undefined => {
    const at = parseTimestamp(timestamp);
    return at === undefined ? undefined : Math.max(0, clock.now() - at) / 1000;
  };
  return {
    begun: (key, resource) => {
      if (getCondition(resource, typeSynced) !== undefined) return;
      memoryOf(key, resource).fresh = true;
      const seconds = since(resource.metadata.creationTimestamp);
      if (seconds !== undefined) toReconcile.observe(seconds, labels);
    },
    unchanged: (key, resource) => {
      const memory = memoryOf(key, resource);
      memory.upToDateAt = clock.monotonic();
      if (!memory.fresh || getCondition(resource, typeReady)?.status !== 'True') return;
      memory.fresh = false;
      const seconds = since(resource.metadata.creationTimestamp);
      if (seconds !== undefined) toReadiness.observe(seconds, labels);
    },
    updated: (key, resource) => {
      const memory = memoryOf(key, resource);
      const now = clock.monotonic();
      if (memory.upToDateAt !== undefined) drift.observe((now - memory.upToDateAt) / 1000, labels);
      memory.upToDateAt = now;
    },
    released: ({ metadata }) => {
      const seconds = since(metadata.deletionTimestamp);
      if (seconds !== undefined) deletion.observe(seconds, labels);
    },
  };
}
