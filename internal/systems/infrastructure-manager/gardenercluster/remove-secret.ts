import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { parseTimestamp } from '../../../framework/base/time/timestamp.ts';
import { getIfExists } from '../../../framework/kube/client/get-if-exists.ts';
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  secrets,
} from '../../../framework/kube/index.ts';
import { isPermitted, type OwnershipRule, ownershipOf } from '../../../framework/ownership/ownership.ts';
import { clusterOwner, labelManagedBy, MANAGED_BY, recordedCluster } from './metadata.ts';
import { lastSyncOf } from './rotation.ts';

/** Key of the GardenerCluster that the Secret says it belongs to. */
export const clusterKeyOf = (secret: KubeObject): ObjectKey | undefined => {
  const owner = recordedCluster(secret);
  if (owner?.namespace === undefined || secret.metadata.labels?.[labelManagedBy] !== MANAGED_BY)
    return undefined;
  return { namespace: owner.namespace, name: owner.name };
};

/** A GardenerCluster that does not exist. */
export interface GoneCluster {
  readonly key: ObjectKey;
  /** The uid of the one that this process has seen deleted; undefined: none. */
  readonly uid: string | undefined;
}

/** Without a record nothing says that the GardenerCluster ever existed. */
const RULE: OwnershipRule = { unrecorded: [], abandoned: ['delete'] };

/** A Secret is stored within this time after its kubeconfig, in ms. */
const STORED_WITHIN_MS = 60_000;

/**
 * Deletes the Secret of a GardenerCluster that is gone, also if that was deleted while no process ran. GardenerClusters have no
 * finalizer, so that other programs can delete them. A Secret that exists before its GardenerCluster stays: it was restored from a
 * backup, or both are applied in any order.
 *
 * @param found the Secrets that name it
 * @throws ProviderError if there are several
 */
export async function removeSecret(
  client: KubeClient,
  { key, uid }: GoneCluster,
  found: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  if (found.length === 0) return;
  // The informer may not have it yet. A GardenerCluster that follows adopts the Secret.
  if ((await getIfExists(client, gardenerClusters, key, { signal })) !== undefined) return;
  const owned: KubeObject[] = [];
  for (const each of found) if (await wasOwned(each, { key, uid })) owned.push(each);
  const [secret, ...others] = owned;
  if (secret === undefined) return;
  if (others.length > 0)
    throw new ProviderError(
      'terminal',
      `cannot delete the kubeconfig of GardenerCluster ${keyString(key)}: it has ${owned.length} Secrets: ${owned.map((each) => keyString(keyOf(each))).join(', ')}`,
    );
  const { uid: secretUid, resourceVersion } = secret.metadata;
  const preconditions = {
    ...(secretUid === undefined ? {} : { uid: secretUid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await client.delete(secrets, keyOf(secret), { signal, preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Whether the Secret belonged to the GardenerCluster that is gone. */
async function wasOwned(secret: KubeObject, { key, uid }: GoneCluster): Promise<boolean> {
  const recorded = recordedCluster(secret);
  const ownership = await ownershipOf({
    // Equal to no uid that is recorded, if none was seen.
    own: clusterOwner({ ...key, uid: uid ?? '' }),
    // A name alone may be that of a GardenerCluster that does not exist yet, unless one was seen.
    recorded: recorded?.uid === undefined && uid === undefined ? undefined : recorded,
    // No object has its name any more, and so none has its uid.
    isGone: () => !isRestored(secret),
  });
  return isPermitted(ownership, 'delete', RULE);
}

/** A Secret that is younger than its kubeconfig comes from a backup, whose GardenerCluster may follow. */
function isRestored(secret: KubeObject): boolean {
  const created = parseTimestamp(secret.metadata.creationTimestamp);
  const lastSync = lastSyncOf(secret);
  return created !== undefined && lastSync !== undefined && created > lastSync + STORED_WITHIN_MS;
}
