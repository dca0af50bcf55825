/** The controller of registry caches, with its sources: Runtimes, and Secrets with their kubeconfigs. */
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { jsonEqual, kindOf, messageOf, ProviderError, valueAt } from '../../../framework/base/index.ts';
import {
  changedByUsers,
  createObjectIndex,
  done,
  indexed,
  isNoFailure,
  mapped,
  pollAfter,
  type ReconciledKind,
  type ReconcileResult,
  type Reconciler,
  type ReconcilerContext,
  reported,
  requeue,
} from '../../../framework/controller/index.ts';
import {
  type ClusterPool,
  customResourceDefinitions,
  getIfExists,
  isUnknownKind,
  type KubeObject,
  keyOf,
  keyString,
  wasDeleted,
} from '../../../framework/kube/index.ts';
import { isRefused, RETRY_DELAYS } from '../gardener/gardener.ts';
import { type KubeconfigSecret, kubeconfigInformer } from '../gardenercluster/kubeconfig-secret.ts';
import { labelManagedBy, MANAGED_BY } from '../gardenercluster/metadata.ts';
import type { RefusedKubeconfigs } from '../gardenercluster/rotation.ts';
import { accountOf, labels, runtimeIdOf } from '../metadata.ts';
import { kymas, registryCacheConfigs, type WantedCache, wantedCaches } from '../registry-cache-config.ts';
import { cachesOf } from '../rendering/model/extender.ts';
import {
  listOfUsers,
  type RuntimeClusterUse,
  readRuntimeCluster,
} from '../runtime/cluster/runtime-cluster.ts';
import { smallRuntime } from '../runtime/kind.ts';
import { messages } from '../runtime/messages.ts';
import {
  conditionTypes,
  createRuntimeStatusStore,
  type RuntimeStatusStore,
  reasons,
} from '../runtime/status.ts';
import type { RuntimeEvents } from './watcher-listener.ts';

export interface RegistryCacheKindOptions extends Omit<RegistryCacheReconcilerOptions, 'secretsOf'> {
  /** That of the Runtimes; with `events` only. */
  readonly namespace?: string;
  /** Of runtimes whose caches may have changed. Default: nobody reports them. */
  readonly events?: Pick<RuntimeEvents, 'onEvent'>;
}

/** Slow clusters share a part of them. */
const WORKERS = 25;
export function registryCacheKind(options: RegistryCacheKindOptions): ReconciledKind<Runtime> {
  let secretsOf: RegistryCacheReconcilerOptions['secretsOf'] = () => [];
  return {
    // As of the Kyma infrastructure manager.
    name: 'registry-cache-controller',
    type: runtimes,
    tenantOf: accountOf,
    transform: smallRuntime,
    workers: WORKERS,
    backoff: RETRY_DELAYS,
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
      const ofEvents = reported(
        (enqueue) =>
          options.events?.onEvent((name) => {
            const id = keyString({ namespace: options.namespace ?? '', name });
            for (const runtime of ofRuntime.of(id)) enqueue(keyString(keyOf(runtime)));
          }) ?? (() => undefined),
      );
      return [indexed([byRuntimeId, ofRuntime], ofSecret), ofEvents];
    },
    reconcile: createRegistryCacheReconciler({ ...options, secretsOf: (runtime) => secretsOf(runtime) }),
  };
}

/** Of a Secret of this program: the ID of its Runtime, with the namespace. */
function idKeysOf({ metadata: { namespace = '', labels: own = {} } }: KubeconfigSecret): string[] {
  const { [labels.runtimeId]: name, [labelManagedBy]: manager } = own;
  return name === undefined || manager !== MANAGED_BY ? [] : [keyString({ namespace, name })];
}

/** The reconcile of the registry caches of a Runtime: what the objects in its cluster ask for becomes a part of its spec. */

export interface RegistryCacheReconcilerOptions {
  readonly clusters: ClusterPool;
  /** Told of kubeconfigs that their clusters refuse. */
  readonly refusedKubeconfigs?: Pick<RefusedKubeconfigs, 'report'>;
  /** The Secrets of this program with a kubeconfig of the Runtime. */
  readonly secretsOf: (runtime: Runtime) => readonly KubeconfigSecret[];
  /** Runtime clusters are not watched, so a change that is not reported is noticed after this time, in ms. Default one hour. */
  readonly pollMs?: number;
}

const POLL_MS = 3_600_000;
/** Of the time between two requests to one cluster, so that not all are requested at once. */
const JITTER = 0.2;

const { registryCacheConfigured: type } = conditionTypes;

const createRegistryCacheReconciler =
  ({
    clusters,
    refusedKubeconfigs,
    secretsOf,
    pollMs = POLL_MS,
  }: RegistryCacheReconcilerOptions): Reconciler<Runtime> =>
  async (copy, context) => {
    const { object } = copy;
    const { state } = object.status ?? {};
    if (wasDeleted(object) || state === undefined || state === 'Terminating') return done;
    if (secretsOf(object).length === 0) return done;
    const status = createRuntimeStatusStore(copy, context);
    try {
      const caches = await readRuntimeCluster({ clusters, context, object, refusedKubeconfigs }, readCaches);
      await storeCaches(object, caches, context);
    } catch (error) {
      return showFailure(status, error, context);
    }
    if (status.condition(type)?.reason === reasons.registryCacheError) {
      status.remove(type);
      await status.store();
    }
    return pollAfter(pollMs * (1 - JITTER * context.random()));
  };

/**
 * Makes the caches those of the Runtime, which changes its Shoot. A merge patch, since an apply by the field manager
 * of the Go program would remove the fields that it applied: all of the Runtime.
 */
async function storeCaches(
  runtime: Runtime,
  caches: readonly WantedCache[],
  { client, signal }: Pick<ReconcilerContext, 'client' | 'signal'>,
): Promise<void> {
  // Of the shape before 1.41 there are none, and it stays until there are.
  const known = runtime.spec === undefined ? [] : cachesOf({ spec: runtime.spec });
  if (jsonEqual(known, caches)) return;
  const { uid } = runtime.metadata;
  const patch = { metadata: { uid }, spec: { imageRegistryCache: caches.length === 0 ? null : caches } };
  await client.mergePatch(runtimes, keyOf(runtime), patch, { signal });
}

/** Stores why the caches are not known; the Shoot keeps those that it has. @throws an error that may pass again */
async function showFailure(
  status: RuntimeStatusStore,
  error: unknown,
  { log }: Pick<ReconcilerContext, 'log'>,
): Promise<ReconcileResult> {
  if (isNoFailure(error)) throw error;
  const refused = isRefused(error) || ['terminal', 'contested'].includes(kindOf(error));
  const message = `${messages.registryCacheFailed}: ${messageOf(error)}`;
  const { registryCacheError: reason } = reasons;
  status.keepState({ type, reason, status: refused ? 'False' : 'Unknown', message });
  await status.store();
  if (!refused) throw error;
  log.info('the runtime cluster refused its registry caches', { error: message });
  return requeue;
}

/** Of the caches of one runtime as JSON: those of thousands are in memory, and become a part of the Shoot. */
const MAX_BYTES = 16_384;

const MODULE = 'registry-cache';

type ReadOnlyCluster = Pick<RuntimeClusterUse, 'client' | 'signal'>;

/**
 * The caches that the RegistryCacheConfigs of a runtime ask for; none if it does not have the module.
 *
 * @throws ProviderError if they are too many; KubeApiError if the runtime has modules, but no list of them
 */
async function readCaches(cluster: ReadOnlyCluster): Promise<readonly WantedCache[]> {
  if (!(await hasModule(cluster))) return [];
  const caches = wantedCaches(await listConfigs(cluster));
  if (Buffer.byteLength(JSON.stringify(caches)) <= MAX_BYTES) return caches;
  throw new ProviderError('terminal', `RegistryCacheConfigs have more than ${MAX_BYTES} bytes`);
}

/** A cluster without the kind of modules has none. */
async function hasModule({ client, signal }: ReadOnlyCluster): Promise<boolean> {
  const crd = { name: 'kymas.operator.kyma-project.io' };
  if ((await getIfExists(client, customResourceDefinitions, crd, { signal })) === undefined) return false;
  const kyma = await client.get(kymas, { namespace: 'kyma-system', name: 'default' }, { signal });
  const modules = valueAt(kyma, ['spec', 'modules']);
  return Array.isArray(modules) && modules.some((module) => valueAt(module, ['name']) === MODULE);
}

async function listConfigs(cluster: ReadOnlyCluster) {
  try {
    return await listOfUsers(cluster, registryCacheConfigs);
  } catch (error) {
    // The module is not installed yet.
    if (isUnknownKind(error)) return [];
    throw error;
  }
}
