import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  secrets,
} from '../../../kube/index.ts';
import { labelClusterName, labelManagedBy, MANAGED_BY } from './metadata.ts';

/** Key of the GardenerCluster that the Secret says it belongs to. */
export const clusterKeyOf = ({ metadata }: KubeObject): ObjectKey | undefined => {
  const { labels = {}, namespace = '' } = metadata;
  const name = labels[labelClusterName];
  return name === undefined || labels[labelManagedBy] !== MANAGED_BY ? undefined : { namespace, name };
};

/**
 * Deletes the Secret of a GardenerCluster that is gone, also if that was deleted while no process ran. GardenerClusters have no
 * finalizer, so that other programs can delete them.
 *
 * @param found the Secrets that belong to it
 * @throws ProviderError if there are several
 */
export async function removeSecret(
  client: KubeClient,
  key: ObjectKey,
  found: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const [secret, ...others] = found;
  if (secret === undefined || (await exists(client, key, signal))) return;
  if (others.length > 0)
    throw new ProviderError(
      'terminal',
      `cannot delete the kubeconfig of GardenerCluster ${keyString(key)}: it has ${found.length} Secrets: ${found.map((each) => keyString(keyOf(each))).join(', ')}`,
    );
  const { uid, resourceVersion } = secret.metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await client.delete(secrets, keyOf(secret), { signal, preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The informer may not have it yet. */
async function exists(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
  try {
    await client.getMetadata(gardenerClusters, key, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
