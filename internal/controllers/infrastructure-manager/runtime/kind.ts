import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  availabilityOf,
  createObjectIndex,
  indexed,
  LOW_PRIORITY,
  mapped,
  type ObjectIndex,
  type ReconciledKind,
  type Source,
} from '../../../controller/index.ts';
import { type Informers, keyOf, keyString } from '../../../kube/index.ts';
import { authenticationConfigInformer, shootOfConfig } from '../gardener/authentication-configs.ts';
import { type Gardener, shootInformer, shootKey } from '../gardener/gardener.ts';
import { isMoreThanProgress } from '../gardener/is-more-than-progress.ts';
import { kubeconfigInformer } from '../gardenercluster/kubeconfig-secret.ts';
import { type MassDeletionOptions, watchMassDeletion } from './guard/mass-deletion.ts';
import { finalizer, runtimeIdOf } from './metadata.ts';
import { createRuntimeReconciler } from './reconciler.ts';
import { type RuntimeMemory, type RuntimeReconcilerOptions, shootNameOf } from './run.ts';
import { runtimeStates } from './runtime-metrics.ts';

export interface RuntimeKindOptions extends Omit<RuntimeReconcilerOptions, 'runtimesNaming' | 'clustersOf'> {
  readonly workers: number;
  /** Deadline of one reconcile's requests to Gardener, in ms. */
  readonly externalTimeoutMs: number;
  readonly deletions: MassDeletionOptions;
  /** Calls the listener when the rendering differs, until the returned function is called. */
  readonly onConfigurationChange: (listener: () => void) => () => void;
}

/** Delays after failures, in ms. */
const BACKOFF = { baseMs: 1000, maxMs: 300_000 };

export function runtimeKind(options: RuntimeKindOptions): ReconciledKind<Runtime, RuntimeMemory> {
  const { gardener, settings, workers, externalTimeoutMs } = options;
  let runtimesNaming: RuntimeReconcilerOptions['runtimesNaming'] = () => [];
  let clustersOf: RuntimeReconcilerOptions['clustersOf'] = () => [];
  return {
    // Component of events, as of the Kyma infrastructure manager.
    name: 'runtime-controller',
    type: runtimes,
    finalizer,
    workers,
    externalTimeoutMs,
    backoff: BACKOFF,
    sources: (informers, cache, at) => {
      // Of the connections to clusters.
      kubeconfigInformer(informers);
      const ofShoot = createObjectIndex(cache, (runtime) => {
        const name = shootNameOf(runtime);
        return name === undefined ? [] : [shootKey(gardener, name)];
      });
      runtimesNaming = ofShoot.of;
      const shoots = mapped(
        shootInformer(at(gardener.cluster), gardener),
        (shoot) => ofShoot.of(keyString(keyOf(shoot))).map((runtime) => keyString(keyOf(runtime))),
        { predicate: isMoreThanProgress },
      );
      const byRuntimeId = createObjectIndex(cache, (runtime) => {
        const name = runtimeIdOf(runtime);
        return name === undefined ? [] : [keyString({ namespace: runtime.metadata.namespace, name })];
      });
      const byShoot = createObjectIndex(informers.of(gardenerClusters), ({ metadata, spec }) => [
        keyString({ namespace: metadata.namespace, name: spec.shoot.name }),
      ]);
      clustersOf = (namespace, name) =>
        byShoot.of(keyString({ namespace, name })).map(({ metadata }) => metadata.name);
      const clusters = mapped(informers.of(gardenerClusters), (cluster) =>
        byRuntimeId.of(keyString(keyOf(cluster))).map((runtime) => keyString(keyOf(runtime))),
      );
      const all = () => cache.list().map((runtime) => keyString(keyOf(runtime)));
      return [
        indexed([ofShoot], shoots),
        indexed([byRuntimeId, byShoot], clusters),
        ...(settings.structuredAuth ? [authenticationConfigs(at(gardener.cluster), gardener, ofShoot)] : []),
        availabilityOf(gardener.cluster, all),
        configurationChanges(options, all),
        registryCacheChanges(options),
      ];
    },
    whileRunning: (cache) => {
      const ends = [watchMassDeletion(cache, options.deletions), runtimeStates(cache, options.deletions)];
      return () => {
        for (const end of ends) end();
      };
    },
    reconcile: createRuntimeReconciler({
      ...options,
      runtimesNaming: (shoot) => runtimesNaming(shoot),
      clustersOf: (namespace, shoot) => clustersOf(namespace, shoot),
    }),
  };
}

/** Runtimes whose authentication configuration others may have changed. */
const authenticationConfigs = (
  informers: Informers,
  gardener: Gardener,
  ofShoot: ObjectIndex<Runtime>,
): Source =>
  mapped(authenticationConfigInformer(informers, gardener), (config) => {
    const shoot = shootOfConfig(config);
    if (shoot === undefined) return [];
    return ofShoot.of(shootKey(gardener, shoot)).map((runtime) => keyString(keyOf(runtime)));
  });

/** Between Runtimes that a changed configuration concerns, in ms, so that Gardener is not asked to change all Shoots at once. */
const PACE_MS = 100;

/** All Runtimes, one after the other, when the configuration has changed. */
function configurationChanges(
  { onConfigurationChange }: Pick<RuntimeKindOptions, 'onConfigurationChange'>,
  keys: () => readonly string[],
): Source {
  return {
    start: (enqueue) =>
      onConfigurationChange(() => {
        for (const [index, key] of keys().entries())
          enqueue(key, { priority: LOW_PRIORITY, delayMs: index * PACE_MS });
      }),
    hasSynced: () => true,
    whenSynced: async () => undefined,
  };
}

/** Runtimes whose clusters ask for other caches than before. */
function registryCacheChanges({ registryCaches }: Pick<RuntimeKindOptions, 'registryCaches'>): Source {
  return {
    start: (enqueue) => registryCaches.onChange((key) => enqueue(key)),
    hasSynced: () => true,
    whenSynced: async () => undefined,
  };
}
