/** The controller of registry caches, with its sources: Runtimes, and Secrets with their kubeconfigs. */

import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  changedByUsers,
  createObjectIndex,
  indexed,
  mapped,
  type ReconciledKind,
  type Source,
} from '../../../framework/controller/index.ts';
import { type KubeObject, keyOf, keyString } from '../../../framework/kube/index.ts';
import { type KubeconfigSecret, kubeconfigInformer } from '../gardenercluster/kubeconfig-secret.ts';
import { labelManagedBy, MANAGED_BY } from '../gardenercluster/metadata.ts';
import { accountOf, labels } from '../metadata.ts';
import { runtimeIdOf } from '../runtime/metadata.ts';
import { smallRuntime } from '../runtime/small-runtime.ts';
import { createRegistryCacheReconciler, type RegistryCacheReconcilerOptions } from './reconciler.ts';
import type { RuntimeEvents } from './watcher-listener.ts';

export interface RegistryCacheKindOptions extends Omit<RegistryCacheReconcilerOptions, 'secretsOf'> {
  /** That of the Runtimes; with `events` only. */
  readonly namespace?: string;
  /** Of runtimes whose caches may have changed. Default: nobody reports them. */
  readonly events?: Pick<RuntimeEvents, 'onEvent'>;
}

/** Slow clusters share a part of them. */
const WORKERS = 25;
/** Delays after failures, in ms. */
const BACKOFF = { baseMs: 1000, maxMs: 300_000 };

export function registryCacheKind(options: RegistryCacheKindOptions): ReconciledKind<Runtime> {
  let secretsOf: RegistryCacheReconcilerOptions['secretsOf'] = () => [];
  return {
    // As of the Kyma infrastructure manager.
    name: 'registry-cache-controller',
    type: runtimes,
    tenantOf: accountOf,
    transform: smallRuntime,
    workers: WORKERS,
    backoff: BACKOFF,
    // Nothing is done before the first state. Where the kubeconfig is there already, it reports no change after that.
    predicate: (old, runtime) =>
      changedByUsers(old, runtime) ||
      (old.status?.state === undefined && runtime.status?.state !== undefined),
    sources: (informers, cache) => {
      informers.of(gardenerClusters);
      const secrets = kubeconfigInformer(informers);
      const byRuntimeId = createObjectIndex(secrets, idKeysOf);
      secretsOf = (runtime) => {
        const { namespace } = runtime.metadata;
        const name = runtimeIdOf(runtime);
        return name === undefined ? [] : byRuntimeId.of(keyString({ namespace, name }));
      };
      const ofRuntime = createObjectIndex(cache, (runtime) => {
        const name = runtimeIdOf(runtime);
        return name === undefined ? [] : [keyString({ namespace: runtime.metadata.namespace, name })];
      });
      const ofSecret = mapped(secrets, (secret) =>
        idKeysOf(secret).flatMap((id) =>
          ofRuntime.of(id).map((runtime: KubeObject) => keyString(keyOf(runtime))),
        ),
      );
      const reported: Source = {
        start: (enqueue) =>
          options.events?.onEvent((name) => {
            const id = keyString({ namespace: options.namespace ?? '', name });
            for (const runtime of ofRuntime.of(id)) enqueue(keyString(keyOf(runtime)));
          }) ?? (() => undefined),
        hasSynced: () => true,
        whenSynced: async () => undefined,
      };
      return [indexed([byRuntimeId, ofRuntime], ofSecret), reported];
    },
    reconcile: createRegistryCacheReconciler({ ...options, secretsOf: (runtime) => secretsOf(runtime) }),
  };
}

/** Of a Secret of this program: the ID of its Runtime, with the namespace. */
function idKeysOf({ metadata: { namespace = '', labels: own = {} } }: KubeconfigSecret): string[] {
  const { [labels.runtimeId]: name, [labelManagedBy]: manager } = own;
  return name === undefined || manager !== MANAGED_BY ? [] : [keyString({ namespace, name })];
}
