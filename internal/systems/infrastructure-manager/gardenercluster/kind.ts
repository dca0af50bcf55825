/** The controller of GardenerClusters: its sources, and the Secrets of those that are gone. */

import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { type Deps, ProviderError, parseTimestamp } from '../../../framework/base/index.ts';
import {
  availabilityOf,
  createObjectIndex,
  indexed,
  mapped,
  type ReconciledKind,
  reported,
  type Source,
} from '../../../framework/controller/index.ts';
import {
  getIfExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  secrets,
} from '../../../framework/kube/index.ts';
import { isPermitted, type OwnershipRule, ownershipOf } from '../../../framework/ownership/ownership.ts';
import { authorityChangedAt, RETRY_DELAYS, shootInformer, shootKey } from '../gardener/gardener.ts';
import { accountOf } from '../metadata.ts';
import { clusterStates, kubeconfigExpirations } from '../metrics.ts';
import {
  createGardenerClusterReconciler,
  type GardenerClusterMemory,
  type GardenerClusterReconcilerOptions,
} from './kubeconfig-rotation.ts';
import { type KubeconfigSecret, kubeconfigInformer } from './kubeconfig-secret.ts';
import { clusterOwner, labelManagedBy, MANAGED_BY, recordedCluster, secretKeyOf } from './metadata.ts';
import { createRefusedKubeconfigs, lastSyncOf, type RefusedKubeconfigs } from './rotation.ts';

export interface GardenerClusterKindOptions
  extends Omit<GardenerClusterReconcilerOptions, 'expirations' | 'refusedKubeconfigs'>,
    Pick<Deps, 'metrics'> {
  /** Of the management cluster. */
  readonly client: KubeClient;
  /** That of the controllers which use the kubeconfigs. Default: no cluster refuses one. */
  readonly refusedKubeconfigs?: RefusedKubeconfigs;
  readonly workers: number;
  /** Deadline of one reconcile's requests to other clusters, in ms. */
  readonly externalTimeoutMs: number;
}

export function gardenerClusterKind(
  options: GardenerClusterKindOptions,
): ReconciledKind<GardenerCluster, GardenerClusterMemory> {
  const { gardener, client, workers, externalTimeoutMs } = options;
  const expirations = kubeconfigExpirations(options);
  const { refusedKubeconfigs = createRefusedKubeconfigs() } = options;
  let secretsOf: (key: string) => readonly KubeconfigSecret[] = () => [];
  /** The uids of deleted GardenerClusters, until their Secrets are deleted. */
  const gone = new Map<string, string>();
  return {
    name: 'gardener-cluster-controller',
    type: gardenerClusters,
    tenantOf: accountOf,
    workers,
    externalTimeoutMs,
    backoff: RETRY_DELAYS,
    sources: (informers, cache, at) => {
      const secrets = kubeconfigInformer(informers);
      const byCluster = createObjectIndex(secrets, (secret) => {
        const key = clusterKeyOf(secret);
        return key === undefined ? [] : [keyString(key)];
      });
      secretsOf = (key) => byCluster.of(key);
      const bySecret = createObjectIndex(cache, (cluster) => [keyString(secretKeyOf(cluster))]);
      const byShoot = createObjectIndex(cache, ({ spec }) => [shootKey(gardener, spec.shoot.name)]);
      const keys = (clusters: readonly GardenerCluster[]) =>
        clusters.map((cluster) => keyString(keyOf(cluster)));
      const ofSecret = mapped(secrets, (secret) => {
        const owner = clusterKeyOf(secret);
        return [
          ...(owner === undefined ? [] : [keyString(owner)]),
          ...keys(bySecret.of(keyString(keyOf(secret)))),
        ];
      });
      const shoots = shootInformer(at(gardener.cluster), gardener);
      const clustersOf = (shoot: Shoot) => byShoot.of(keyString(keyOf(shoot)));
      const sourcesOfShoot = [
        mapped(shoots, (shoot) => keys(clustersOf(shoot)), { predicate: isOtherAuthority }),
        mapped(shoots, (shoot) => keys(clustersOf(shoot).filter(isFailing)), { predicate: isOtherState }),
      ];
      const failing = () => keys(cache.list().filter(isFailing));
      return [
        indexed([byCluster, bySecret], ofSecret),
        ...sourcesOfShoot.map((source) => indexed([byShoot], source)),
        availabilityOf(gardener.cluster, failing),
        refusals(refusedKubeconfigs, (secret) => keys(bySecret.of(secret))),
      ];
    },
    whileRunning: (cache) => {
      const ends = [
        clusterStates(cache, options),
        cache.subscribe(({ type, object }) => {
          const { uid } = object.metadata;
          if (type === 'deleted' && uid !== undefined) gone.set(keyString(keyOf(object)), uid);
        }),
      ];
      return () => {
        for (const end of ends) end();
        gone.clear();
        expirations.clear();
      };
    },
    beforeReconcile: async (key, found, signal) => {
      if (found !== undefined) return void gone.delete(key);
      expirations.remove(key);
      const [namespace = '', name = ''] = key.split('/');
      const deleted = { key: { namespace, name }, uid: gone.get(key) };
      await removeSecret(client, deleted, secretsOf(key), signal);
      gone.delete(key);
    },
    reconcile: createGardenerClusterReconciler({ ...options, expirations, refusedKubeconfigs }),
  };
}

/** GardenerClusters whose kubeconfig was refused by its cluster. */
function refusals({ onReport }: RefusedKubeconfigs, keysOf: (secret: string) => readonly string[]): Source {
  return reported((enqueue) =>
    onReport((secret) => {
      for (const key of keysOf(secret)) enqueue(key);
    }),
  );
}

const isFailing = ({ status }: GardenerCluster): boolean => status?.state !== 'Ready';

/** A kubeconfig that is missing can be had when an operation of Gardener has ended. */
const isOtherState = (old: Shoot, shoot: Shoot): boolean =>
  old.status?.lastOperation?.state !== shoot.status?.lastOperation?.state;

/** One that is there must be replaced at the phases of a rotation. */
const isOtherAuthority = (old: Shoot, shoot: Shoot): boolean =>
  authorityChangedAt(old) !== authorityChangedAt(shoot);

/** Key of the GardenerCluster that the Secret says it belongs to. */
const clusterKeyOf = (secret: KubeObject): ObjectKey | undefined => {
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
async function removeSecret(
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
