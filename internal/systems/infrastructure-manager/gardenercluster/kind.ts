/** The controller of GardenerClusters, with its sources: GardenerClusters, their Secrets, Shoots, and whether Gardener responds. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Deps } from '../../../framework/base/deps.ts';
import {
  availabilityOf,
  createObjectIndex,
  indexed,
  mapped,
  type ReconciledKind,
  type Source,
} from '../../../framework/controller/index.ts';
import { type KubeClient, keyOf, keyString } from '../../../framework/kube/index.ts';
import { authorityChangedAt } from '../gardener/authority-changed-at.ts';
import { shootInformer, shootKey } from '../gardener/gardener.ts';
import { clusterStates, kubeconfigExpirations } from './cluster-metrics.ts';
import { type KubeconfigSecret, kubeconfigInformer } from './kubeconfig-secret.ts';
import { secretKeyOf } from './metadata.ts';
import { createGardenerClusterReconciler } from './reconciler.ts';
import { createRefusedKubeconfigs, type RefusedKubeconfigs } from './refused-kubeconfigs.ts';
import { clusterKeyOf, removeSecret } from './remove-secret.ts';
import type { GardenerClusterMemory, GardenerClusterReconcilerOptions } from './run.ts';

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

/** Delays after failures, in ms. */
const BACKOFF = { baseMs: 1000, maxMs: 300_000 };

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
    workers,
    externalTimeoutMs,
    backoff: BACKOFF,
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
      const ofShoot = mapped(
        shootInformer(at(gardener.cluster), gardener),
        (shoot) => keys(byShoot.of(keyString(keyOf(shoot)))),
        { predicate: isOtherState },
      );
      const failing = () => keys(cache.list().filter(({ status }) => status?.state !== 'Ready'));
      return [
        indexed([byCluster, bySecret], ofSecret),
        indexed([byShoot], ofShoot),
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
  return {
    start: (enqueue) =>
      onReport((secret) => {
        for (const key of keysOf(secret)) enqueue(key);
      }),
    hasSynced: () => true,
    whenSynced: async () => undefined,
  };
}

/** A kubeconfig can be had when an operation of Gardener has ended, and must be replaced at the phases of a rotation. */
const isOtherState = (old: Shoot, shoot: Shoot): boolean =>
  old.status?.lastOperation?.state !== shoot.status?.lastOperation?.state ||
  authorityChangedAt(old) !== authorityChangedAt(shoot);
