import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  availabilityOf,
  createObjectIndex,
  indexed,
  mapped,
  type ReconciledKind,
} from '../../../controller/index.ts';
import { keyOf, keyString } from '../../../kube/index.ts';
import { shootInformer, shootKey } from '../gardener/gardener.ts';
import { type MassDeletionOptions, watchMassDeletion } from './guard/mass-deletion.ts';
import { finalizer, runtimeIdOf } from './metadata.ts';
import { createRuntimeReconciler } from './reconciler.ts';
import { type RuntimeMemory, type RuntimeReconcilerOptions, shootNameOf } from './run.ts';
import { runtimeStates } from './runtime-metrics.ts';

export interface RuntimeKindOptions extends RuntimeReconcilerOptions {
  readonly workers: number;
  /** Deadline of one reconcile's requests to Gardener, in ms. */
  readonly externalTimeoutMs: number;
  readonly deletions: MassDeletionOptions;
}

/** Delays after failures, in ms. */
const BACKOFF = { baseMs: 1000, maxMs: 300_000 };

export function runtimeKind(options: RuntimeKindOptions): ReconciledKind<Runtime, RuntimeMemory> {
  const { gardener, workers, externalTimeoutMs } = options;
  return {
    // Component of events, as of the Kyma infrastructure manager.
    name: 'runtime-controller',
    type: runtimes,
    finalizer,
    workers,
    externalTimeoutMs,
    backoff: BACKOFF,
    sources: (informers, cache, at) => {
      const ofShoot = createObjectIndex(cache, (runtime) => {
        const name = shootNameOf(runtime);
        return name === undefined ? [] : [shootKey(gardener, name)];
      });
      const shoots = mapped(shootInformer(at(gardener.cluster), gardener), (shoot) =>
        ofShoot.of(keyString(keyOf(shoot))).map((runtime) => keyString(keyOf(runtime))),
      );
      const byRuntimeId = createObjectIndex(cache, (runtime) => {
        const name = runtimeIdOf(runtime);
        return name === undefined ? [] : [keyString({ namespace: runtime.metadata.namespace, name })];
      });
      const clusters = mapped(informers.of(gardenerClusters), (cluster) =>
        byRuntimeId.of(keyString(keyOf(cluster))).map((runtime) => keyString(keyOf(runtime))),
      );
      const all = () => cache.list().map((runtime) => keyString(keyOf(runtime)));
      return [
        indexed([ofShoot], shoots),
        indexed([byRuntimeId], clusters),
        availabilityOf(gardener.cluster, all),
      ];
    },
    whileRunning: (cache) => {
      const ends = [watchMassDeletion(cache, options.deletions), runtimeStates(cache, options.deletions)];
      return () => {
        for (const end of ends) end();
      };
    },
    reconcile: createRuntimeReconciler(options),
  };
}
