import { gardenerClusters } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { findCause, ProviderError } from '../../../../framework/base/errors/errors.ts';
import { withDeadline } from '../../../../framework/base/time/deadline.ts';
import type { ReconcilerContext } from '../../../../framework/controller/index.ts';
import {
  type CallOutcome,
  type ClusterPool,
  isServerError,
  KubeApiError,
  type KubeClient,
  keyString,
  UnreachableError,
} from '../../../../framework/kube/index.ts';
import { refusalOf } from '../../gardener/refusal.ts';
import { kubeconfigInformer } from '../../gardenercluster/kubeconfig-secret.ts';
import { secretKeyOf } from '../../gardenercluster/metadata.ts';
import type { RefusedKubeconfigs } from '../../gardenercluster/refused-kubeconfigs.ts';
import { runtimeIdOf } from '../metadata.ts';
import { type RuntimeRun, shootNameOf } from '../run.ts';

/** Time for all requests of one step to a runtime cluster, in ms. */
const TIMEOUT_MS = 20_000;

/**
 * Checks after a start and in intervals share slots: a limit key for each of thousands of clusters, which all wait, costs more than
 * the requests.
 */
const periodicChecks = { name: 'periodic checks of runtime clusters', slots: 8 };

/** What a step does in the cluster. */
export interface RuntimeClusterUse {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Called before each write. */
  readonly assertMayWrite: () => void;
}

/** What a request to the cluster of a Runtime needs of its reconcile. */
export interface RuntimeClusterUser {
  readonly object: Runtime;
  readonly clusters: ClusterPool;
  /** Told of kubeconfigs that their clusters refuse. */
  readonly refusedKubeconfigs?: Pick<RefusedKubeconfigs, 'report'> | undefined;
  readonly context: Pick<ReconcilerContext, 'informers' | 'reserve' | 'isLowPriority' | 'clock' | 'signal'>;
}

/**
 * Calls `use` with the cluster of the Runtime, from the pool of connections, to write to it.
 *
 * @throws as `readRuntimeCluster`
 */
export async function useRuntimeCluster<T>(
  run: RuntimeRun,
  use: (cluster: RuntimeClusterUse) => Promise<T>,
): Promise<T> {
  const { guard } = run.context;
  kubeconfigRefOf(run);
  await guard.acquireOwnership();
  await guard.beforeWrite();
  return readRuntimeCluster(run, (cluster) =>
    use({ ...cluster, assertMayWrite: () => guard.assertMayWrite() }),
  );
}

/**
 * Calls `use` with the cluster of the Runtime, to read from it. The cluster belongs to its users: a slow one takes
 * slots that it shares with other slow ones, and after several requests without a response it is left alone for a while.
 *
 * @throws WaitingError if the Secret with the kubeconfig is missing, or the cluster is left alone
 * @throws NotAdmittedError if no slot is free
 */
export async function readRuntimeCluster<T>(
  user: RuntimeClusterUser,
  use: (cluster: Omit<RuntimeClusterUse, 'assertMayWrite'>) => Promise<T>,
): Promise<T> {
  const { context, clusters, refusedKubeconfigs } = user;
  const ref = kubeconfigRefOf(user);
  const release = context.reserve([
    context.isLowPriority ? periodicChecks : { name: `cluster ${keyString(ref.secret)}`, remote: true },
  ]);
  try {
    const secret = kubeconfigInformer(context.informers).get(keyString(ref.secret));
    const acquired = await clusters.acquire(ref, context.signal, { secret });
    using deadline = withDeadline(
      context.clock,
      TIMEOUT_MS,
      'requests to the runtime cluster',
      context.signal,
    );
    try {
      const result = await use({ client: acquired.cluster.client, signal: deadline.signal });
      acquired.report('answered');
      return result;
    } catch (error) {
      acquired.report(deadline.signal.aborted ? 'timed-out' : outcomeOf(error));
      refusedKubeconfigs?.report(keyString(ref.secret), secret?.metadata.resourceVersion ?? '', error);
      throw error;
    } finally {
      acquired.release();
    }
  } finally {
    release();
  }
}

/** Where the kubeconfig of the cluster is. */
function kubeconfigRefOf({ object, context }: Pick<RuntimeClusterUser, 'object' | 'context'>) {
  const name = runtimeIdOf(object) ?? '';
  const { namespace } = object.metadata;
  const found = context.informers.of(gardenerClusters).get(keyString({ namespace, name }));
  if (found === undefined)
    throw new ProviderError('transient', `GardenerCluster ${namespace}/${name} is gone`);
  // The label may have been copied from another Runtime.
  if (found.spec.shoot.name !== shootNameOf(object))
    throw new ProviderError('contested', `GardenerCluster ${namespace}/${name} is of another Shoot`);
  return { secret: secretKeyOf(found), kubeconfigKey: found.spec.kubeconfig.secret.key };
}

function outcomeOf(error: unknown): CallOutcome {
  if (findCause(error, KubeApiError) !== undefined) return isServerError(error) ? 'failed' : 'answered';
  return findCause(error, UnreachableError) === undefined ? 'answered' : 'failed';
}

/** Whether the cluster refused what was asked of it, so that only a change helps. */
export const isRefused = (error: unknown): boolean => {
  const refusal = refusalOf(error);
  return refusal === 'refused' || refusal === 'forbidden';
};
