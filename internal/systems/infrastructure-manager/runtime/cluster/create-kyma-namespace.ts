import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { isAlreadyExists, namespaces } from '../../../../framework/kube/index.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { clusterFailed } from './cluster-failed.ts';
import { nextCheck } from './configured.ts';
import { type RuntimeClusterUse, useRuntimeCluster } from './runtime-cluster.ts';

/** Namespace of what Kyma has in its clusters. */
export const KYMA_SYSTEM = 'kyma-system';

const { kymaSystemCreated: type } = conditionTypes;

/** Creates the namespace of Kyma in the cluster, unless it is there. The first state that uses the cluster. */
export async function createKymaNamespace(run: RuntimeRun): Promise<Step> {
  const check = nextCheck(run);
  if (check !== undefined) return end(check);
  // The next state notices if it is gone, since it stores something there.
  if (isKnown(run)) return next('CleanupRegistryCacheGardenSecrets');
  try {
    await useRuntimeCluster(run, createIfMissing);
  } catch (error) {
    return clusterFailed(run, error, {
      type,
      reason: reasons.kymaSystemError,
      message: messages.kymaSystemFailed,
    });
  }
  // Stored together with the result of a later state.
  run.status.keepState({
    type,
    reason: reasons.kymaSystemReady,
    status: 'True',
    message: messages.kymaSystemCreated,
  });
  return next('CleanupRegistryCacheGardenSecrets');
}

const isKnown = ({ object, status }: RuntimeRun): boolean =>
  object.status?.state === 'Ready' && status.condition(type)?.status === 'True';

/** Creates the namespace, unless it is there. */
export async function createIfMissing({ client, signal, assertMayWrite }: RuntimeClusterUse): Promise<void> {
  const metadata = { name: KYMA_SYSTEM };
  if ((await getIfExists(client, namespaces, metadata, { signal })) !== undefined) return;
  assertMayWrite();
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
