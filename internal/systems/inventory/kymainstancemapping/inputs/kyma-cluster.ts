import type { WatchedObject } from '../../../../framework/base/index.ts';
import type { ClusterPool, ClusterUse } from '../../../../framework/kube/index.ts';

import type { InputCluster } from '../../input/read-input.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { clusterRefOf } from './input-refs.ts';

/** Use of the cluster of the input objects by one reconcile. */
export interface KymaClusterUse extends Pick<ClusterUse, 'report' | 'release'> {
  readonly cluster: InputCluster;
  /** The kubeconfig Secret; absent for the management cluster. */
  readonly secretTarget?: WatchedObject;
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
): Promise<KymaClusterUse> {
  const ref = clusterRefOf(resource);
  if (ref !== undefined) return clusters.remote.acquire(ref, signal);
  return { cluster: clusters.own, report: () => undefined, release: () => undefined };
}
