import type { Deps } from '../../base/deps.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';
import type { KeyStore } from '../controller/key-store.ts';
import { getCondition, typeReady, typeSynced } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';

/**
 * How long the resources of a kind take: to be looked at first, to become ready, to go, and how long differences
 * last. Names and buckets are Crossplane's, since dashboards ask for them (managed-framework §7.1).
 */
export interface ResourceTimings {
  /** A pass begins. */
  begun(key: string, resource: Managed): void;
  /** The external resource was seen to be as asked. */
  unchanged(key: string, resource: Managed): void;
  /** The external resource differed and was changed. */
  updated(key: string, resource: Managed): void;
  /** The deleted resource was let go. */
  released(resource: Managed): void;
}

export interface ResourceTimingsOptions extends Pick<Deps, 'clock' | 'metrics'> {
  readonly type: ResourceType;
  readonly keys: KeyStore;
}

/** What is remembered of a resource: of the one with this uid, not of others that had the name before. */
interface Memory {
  readonly uid: string | undefined;
  /** It is not known yet to have been ready, and this process has known it from its beginning. */
  fresh: boolean;
  /** When it was last known to be as asked, by the monotonic clock. */
  asAskedAt: number | undefined;
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
    const memory: Memory = { uid, fresh: false, asAskedAt: undefined };
    memories.set(key, memory);
    return memory;
  };
  /** Whole seconds are all that timestamps tell. */
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
      memory.asAskedAt = clock.monotonic();
      if (!memory.fresh || getCondition(resource, typeReady)?.status !== 'True') return;
      memory.fresh = false;
      const seconds = since(resource.metadata.creationTimestamp);
      if (seconds !== undefined) toReadiness.observe(seconds, labels);
    },
    updated: (key, resource) => {
      const memory = memoryOf(key, resource);
      const now = clock.monotonic();
      if (memory.asAskedAt !== undefined) drift.observe((now - memory.asAskedAt) / 1000, labels);
      memory.asAskedAt = now;
    },
    released: ({ metadata }) => {
      const seconds = since(metadata.deletionTimestamp);
      if (seconds !== undefined) deletion.observe(seconds, labels);
    },
  };
}
