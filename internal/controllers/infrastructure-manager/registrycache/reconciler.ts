/** The reconcile of the registry caches of a Runtime: its cluster says what it wants, the Runtime says whether its Shoot has caches. */
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { kindOf, messageOf } from '../../../base/errors/errors.ts';
import {
  done,
  isNoFailure,
  pollAfter,
  type ReconcileResult,
  type Reconciler,
  type ReconcilerContext,
  requeue,
} from '../../../controller/index.ts';
import { type ClusterPool, keyOf, wasDeleted } from '../../../kube/index.ts';
import type { KubeconfigSecret } from '../gardenercluster/kubeconfig-secret.ts';
import type { RefusedKubeconfigs } from '../gardenercluster/refused-kubeconfigs.ts';
import { isRefused, readRuntimeCluster } from '../runtime/cluster/runtime-cluster.ts';
import type { KnownCachesStore } from '../runtime/known-caches.ts';
import { messages } from '../runtime/status/messages.ts';
import { conditionTypes, reasons } from '../runtime/status/reasons.ts';
import { createRuntimeStatusStore, type RuntimeStatusStore } from '../runtime/status/status-store.ts';
import { readCaches } from './read-caches.ts';

export interface RegistryCacheReconcilerOptions {
  readonly clusters: ClusterPool;
  readonly registryCaches: KnownCachesStore;
  /** Told of kubeconfigs that their clusters refuse. */
  readonly refusedKubeconfigs?: Pick<RefusedKubeconfigs, 'report'>;
  /** The Secrets of this program with a kubeconfig of the Runtime. */
  readonly secretsOf: (runtime: Runtime) => readonly KubeconfigSecret[];
  /** Runtime clusters are not watched, so a change is noticed after this time, in ms. Default 60000. */
  readonly pollMs?: number;
}

const POLL_MS = 60_000;
/** Of the time between two requests to one cluster, so that not all are requested at once. */
const JITTER = 0.2;

const { registryCacheConfigured: type } = conditionTypes;

export const createRegistryCacheReconciler =
  ({
    clusters,
    registryCaches,
    refusedKubeconfigs,
    secretsOf,
    pollMs = POLL_MS,
  }: RegistryCacheReconcilerOptions): Reconciler<Runtime> =>
  async (copy, context) => {
    const { object } = copy;
    if (wasDeleted(object) || object.status === undefined || secretsOf(object).length === 0) return done;
    const status = createRuntimeStatusStore(copy, context);
    try {
      const caches = await readRuntimeCluster({ clusters, context, object, refusedKubeconfigs }, readCaches);
      // Before the Runtime is changed, since its Shoot is rendered then.
      registryCaches.set(context.key, caches);
      await enable(object, caches.length > 0, context);
    } catch (error) {
      return showFailure(status, error, context);
    }
    if (status.condition(type) !== undefined) {
      status.remove(type);
      await status.store();
    }
    return pollAfter(pollMs * (1 - JITTER * context.random()));
  };

/**
 * Says in the Runtime whether its Shoot has caches. A merge patch, since an apply by the field manager
 * of the Go program would remove the fields that it applied: all of the Runtime.
 */
async function enable(
  runtime: Runtime,
  enabled: boolean,
  { client, signal }: Pick<ReconcilerContext, 'client' | 'signal'>,
): Promise<void> {
  if (enabled === (runtime.spec?.imageRegistryCache?.enabled ?? false)) return;
  const { uid } = runtime.metadata;
  const patch = { metadata: { uid }, spec: { imageRegistryCache: { enabled } } };
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
  const { registryCacheConfigurationError: reason } = reasons;
  status.keepState({ type, reason, status: refused ? 'False' : 'Unknown', message });
  await status.store();
  if (!refused) throw error;
  log.info('the runtime cluster refused its registry caches', { error: message });
  return requeue;
}
