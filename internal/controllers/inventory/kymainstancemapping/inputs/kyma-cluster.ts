import type { WatchedObject } from '../../../../base/errors/errors.ts';
import type { CallOutcome } from '../../../../kube/cluster/cluster-attempt.ts';
import type { ClusterPool } from '../../../../kube/cluster/cluster-pool.ts';
import type { InputCluster } from '../../input/read-input.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { clusterRefOf } from './input-refs.ts';

/** The cluster of the input objects, acquired by one reconcile. */
export interface KymaCluster extends InputCluster {
  /** The kubeconfig Secret; absent for the management cluster. */
  readonly secretTarget?: WatchedObject;
  /** Reports how the cluster responded; see ClusterLease. */
  report(outcome: CallOutcome): void;
  release(): void;
}

/** The clusters that mappings refer to. */
export interface KymaClusters {
  /** The management cluster. */
  readonly own: InputCluster;
  /** Clusters with a kubeconfig Secret on the management cluster. */
  readonly remote: ClusterPool;
}

/**
 * The cluster of `kymaConnectionRef`, else the management cluster.
 *
 * @throws WaitingError if the kubeconfig is missing, another error if it is refused
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
