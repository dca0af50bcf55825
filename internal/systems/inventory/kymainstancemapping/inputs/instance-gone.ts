import { isUnknownKind } from '../../../../framework/kube/index.ts';

import { readInput } from '../../input/read-input.ts';
import type { MappingIdentity } from '../../mapping/mapping-identity.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { readableInputs } from './input-refs.ts';
import { readClusterID, serviceInstances } from './inputs.ts';
import { acquireKymaCluster, type KymaClusters } from './kyma-cluster.ts';

/**
 * Whether the Kyma cluster shows that the mapping's instance was deleted: the cluster has the recorded ID, and the
 * ServiceInstance from which the resource read the instance ID does not exist. The BTP service operator removes its
 * finalizer only after it has deleted the instance. False if an object cannot be read.
 */
export async function isInstanceGone(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  { serviceInstanceID, primaryID }: MappingIdentity,
  signal: AbortSignal,
): Promise<boolean> {
  const { serviceInstanceRef, clusterIdConfigMapRef } = readableInputs(resource);
  const from = resource.status?.atProvider?.kyma;
  if (from?.serviceInstanceID !== serviceInstanceID) return false;
  if (from.serviceInstanceName !== serviceInstanceRef.name) return false;
  const { cluster, release } = await acquireKymaCluster(clusters, resource, signal);
  try {
    const [instance, { part }] = await Promise.all([
      readInput(cluster, serviceInstances, serviceInstanceRef, signal),
      readClusterID(cluster, clusterIdConfigMapRef, signal),
    ]);
    if (part.clusterID !== primaryID || !('problem' in instance)) return false;
    const { kind, cause } = instance.problem;
    return kind === 'missing' && !isUnknownKind(cause);
  } finally {
    release();
  }
}
