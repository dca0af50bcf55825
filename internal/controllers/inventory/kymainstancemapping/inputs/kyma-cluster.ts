import type { WaitTarget } from '../../../../base/errors/errors.ts';
import type { ClusterPool, Heard } from '../../../../kube/clusters/cluster-pool.ts';
import type { InputCluster } from '../../input/read-input.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { clusterRefOf } from './input-refs.ts';

/** A source cluster in use by one reconcile. */
export interface KymaCluster extends InputCluster {
  /** The Secret that says how to reach it; absent on the provider's own cluster. */
  readonly secretTarget?: WaitTarget;
  /** Reports how the cluster responded; see ClusterLease. */
  report(heard: Heard): void;
  release(): void;
}

/** How to reach the clusters that mappings refer to. */
export interface KymaClusters {
  /** Where the provider's own client points. */
  readonly own: InputCluster;
  /** Clusters known by a kubeconfig Secret on the own cluster. */
  readonly remote: ClusterPool;
}

/**
 * The cluster whose objects describe the mapping: the one of `kymaConnectionRef`, else the provider's own.
 * Throws WaitingError if the kubeconfig is not there yet, an error with its reason if it is refused.
 */
export async function acquireKymaCluster(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  signal: AbortSignal,
): Promise<KymaCluster> {
  const ref = clusterRefOf(resource);
  if (ref !== undefined) return clusters.remote.acquire(ref, signal);
  return { ...clusters.own, report: () => undefined, release: () => undefined };
}
