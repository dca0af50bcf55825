import type { Deps } from '../../base/deps.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';
import { getCondition, typeReady, typeSynced } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';

export interface StateMetricsOptions<R extends Managed> extends Pick<Deps, 'clock' | 'metrics'> {
  readonly type: ResourceType;
  readonly cache: ObjectCache<R>;
  /** Interval between counts, in ms; the first count is after one interval. */
  readonly intervalMs: number;
}

/**
 * Counts the resources of a kind: all, ready and synced. Names and labels are those of crossplane-runtime
 * (`MRStateMetrics`). Counts the cache, so it makes no request.
 */
export function startStateMetrics<R extends Managed>(options: StateMetricsOptions<R>): () => void {
  const { type, cache, metrics, clock, intervalMs } = options;
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `crossplane_managed_resource_${name}`, help, labels: ['gvk'] });
  const exists = gauge('exists', 'The number of managed resources that exist');
  const ready = gauge('ready', 'The number of managed resources in Ready=True state');
  const synced = gauge('synced', 'The number of managed resources in Synced=True state');
  const labels = { gvk: `${apiVersionOf(type)}, Kind=${type.kind}` };
  const count = () => {
    const resources = cache.list();
    const having = (condition: string) =>
      resources.filter((resource) => getCondition(resource, condition)?.status === 'True').length;
    exists.set(resources.length, labels);
    ready.set(having(typeReady), labels);
    synced.set(having(typeSynced), labels);
  };
  let cancel: () => void;
  const later = () => {
    cancel = clock.after(intervalMs, () => {
      count();
      later();
    });
  };
  later();
  return () => {
    cancel();
    for (const metric of [exists, ready, synced]) metric.remove(labels);
  };
}
