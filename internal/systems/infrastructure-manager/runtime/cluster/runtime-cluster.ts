/** Requests to the cluster of a Runtime: its connection, its limits, what failures show, and when it is checked again. */
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  findCause,
  type LimitKeyOption,
  memoryOf,
  messageOf,
  NotAdmittedError,
  ProviderError,
  withDeadline,
} from '../../../../framework/base/index.ts';
import {
  isNoFailure,
  pollAfter,
  type ReconcileResult,
  type ReconcilerContext,
  requeue,
} from '../../../../framework/controller/index.ts';
import { type NextPage, pagesOf } from '../../../../framework/kube/client/client.ts';
import {
  type CallOutcome,
  type ClusterPool,
  getIfExists,
  isNotFound,
  isServerError,
  KubeApiError,
  type KubeClient,
  type KubeObject,
  keyString,
  namespaces,
  type ObjectKey,
  type ResourceType,
  UnreachableError,
  undefinedIfExists,
  wasDeleted,
} from '../../../../framework/kube/index.ts';
import { isRefused } from '../../gardener/gardener.ts';
import { kubeconfigInformer } from '../../gardenercluster/kubeconfig-secret.ts';
import { secretKeyOf } from '../../gardenercluster/metadata.ts';
import type { RefusedKubeconfigs } from '../../gardenercluster/rotation.ts';
import { accountOf, isChanged, isPatchForced, runtimeIdOf } from '../../metadata.ts';
import { messages } from '../messages.ts';
import {
  type AppliedObject,
  type AppliedParts,
  type ClusterPart,
  type End,
  end,
  type RuntimeRun,
  remember,
  shootNameOf,
} from '../run.ts';
import type { ConditionType, Reason } from '../status.ts';

/** Time for all requests of one step to a runtime cluster, in ms. */
const TIMEOUT_MS = 20_000;

/**
 * Checks after a start and in intervals share slots: a limit key for each of thousands of clusters, which all wait, costs more than
 * the requests.
 */
const periodicChecks = { name: 'periodic checks of runtime clusters', slots: 8 };

/** Users of an account may have many clusters that never respond: together they have a quarter of the workers. */
function shareOf(runtime: Runtime): readonly LimitKeyOption[] {
  const account = accountOf(runtime);
  return account === undefined ? [] : [{ name: `clusters of account ${account}`, remote: true }];
}

const clusterSlots = (runtime: Runtime, secret: ObjectKey): readonly LimitKeyOption[] => [
  { name: `cluster ${keyString(secret)}`, remote: true },
  ...shareOf(runtime),
];

/**
 * The slots of a reconcile that may use the cluster: the Runtime is not Ready, has its Shoot and GardenerCluster, and nothing is to be
 * patched. It waits for them before it begins; without one it would end in the middle, and begin anew.
 */
export function slotsOfNextStep(
  runtime: Runtime,
  shoot: Shoot | undefined,
  cluster: GardenerCluster | undefined,
): readonly LimitKeyOption[] {
  if (shoot === undefined || cluster === undefined) return [];
  const isDecided = runtime.status?.state === 'Ready' || wasDeleted(runtime);
  const isPatchDue = isChanged(runtime, shoot) || isPatchForced(runtime);
  return isDecided || isPatchDue ? [] : clusterSlots(runtime, secretKeyOf(cluster));
}

/** What a step does in the cluster. */
export interface RuntimeClusterUse {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Called before each write. */
  readonly assertMayWrite: () => void;
  /** The Runtime was never Ready, so that nothing is there yet: what is created is not read before. */
  readonly isNew: boolean;
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
  const isNew = run.object.status?.provisioningCompleted !== true;
  kubeconfigRefOf(run);
  await guard.acquireOwnership();
  await guard.beforeWrite();
  return readRuntimeCluster(run, (cluster) =>
    use({ ...cluster, assertMayWrite: () => guard.assertMayWrite(), isNew }),
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
  use: (cluster: Omit<RuntimeClusterUse, 'assertMayWrite' | 'isNew'>) => Promise<T>,
): Promise<T> {
  const { context, clusters, refusedKubeconfigs } = user;
  const ref = kubeconfigRefOf(user);
  // Until the reconcile ends: its steps in the cluster follow each other, and would begin anew if one found no slot.
  context.reserve(context.isLowPriority ? [periodicChecks] : clusterSlots(user.object, ref.secret));
  const secret = kubeconfigInformer(context.informers).get(keyString(ref.secret));
  const acquired = await clusters.acquire(ref, context.signal, { secret });
  using deadline = withDeadline(context.clock, TIMEOUT_MS, 'requests to the runtime cluster', context.signal);
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

/** Namespace of what Kyma has in its clusters. */
export const KYMA_SYSTEM = 'kyma-system';

/** Creates the namespace, unless it is there. */
export async function createIfMissing(cluster: RuntimeClusterUse): Promise<void> {
  const { client, signal, assertMayWrite, isNew } = cluster;
  const metadata = { name: KYMA_SYSTEM };
  if (!isNew && (await getIfExists(client, namespaces, metadata, { signal })) !== undefined) return;
  assertMayWrite();
  const wanted = { apiVersion: 'v1', kind: 'Namespace', metadata };
  await client.create(namespaces, wanted, { signal }).catch(undefinedIfExists);
}

/** A cluster answers with 1 MiB at most; what is beyond these pages is not ours. */
const MAX_PAGES = 20;
/** For all objects of a list that users of a cluster can make. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/**
 * The objects of a runtime cluster, of all namespaces. Its users may fill all pages, with objects that take twenty times as much memory as their
 * text, and a reconcile keeps them.
 *
 * @throws ProviderError of kind `transient` if they take more than 4 MiB
 */
export async function listOfUsers<T extends KubeObject>(
  { client, signal }: Pick<RuntimeClusterUse, 'client' | 'signal'>,
  type: ResourceType<T>,
  selection: { readonly labelSelector?: string } = {},
): Promise<T[]> {
  const found: T[] = [];
  let bytes = 0;
  const list = (next: NextPage) => client.list(type, { ...selection, signal, ...next });
  for await (const items of pagesOf(list, { max: MAX_PAGES })) {
    bytes += memoryOf(items);
    if (bytes > MAX_LIST_BYTES)
      throw new ProviderError('transient', `cannot list ${type.plural}: they take more memory than there is`);
    found.push(...items);
  }
  return found;
}

/** Deletes these objects, which have no namespace. One that was changed or created anew since they were read stays. */
export async function deleteOwn(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  type: ResourceType,
  objects: readonly KubeObject[],
): Promise<void> {
  for (const { metadata } of objects) {
    const { name, uid, resourceVersion } = metadata;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    assertMayWrite();
    try {
      await client.delete(type, { name }, { signal, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

export interface ShownFailure {
  readonly type: ConditionType;
  readonly reason: Reason;
  readonly message: string;
  /** Whether the condition is False although the failure may pass. Default: Unknown. */
  readonly isFalse?: boolean;
}

/**
 * Stores why the cluster could not be configured. A Runtime that is not Ready yet is Pending, also if the cluster refuses what is
 * asked; a Ready one, whose cluster is only checked again, stays Ready.
 *
 * @throws a transient error again, so that it is retried with growing delays
 */
export async function clusterFailed(
  run: RuntimeRun,
  error: unknown,
  { message, isFalse = false, ...shown }: ShownFailure,
): Promise<End> {
  const { status, object, context } = run;
  // Until a slot is free, mostly in a moment: the next reconcile states it all again.
  const isAdmitted = findCause(error, NotAdmittedError) === undefined;
  if (!isAdmitted && status.storedState() !== object.status?.state) await status.store();
  if (isNoFailure(error)) throw error;
  const refused = isRefused(error);
  // A cluster that sleeps has no API server: Gardener wakes it when its owner says so.
  const why = !refused && run.shoot?.status?.hibernated === true ? `${messages.hibernated}: ` : '';
  const text = `${message}: ${why}${messageOf(error)}`;
  const stated = { ...shown, status: refused || isFalse ? 'False' : 'Unknown', message: text } as const;
  if (object.status?.state === 'Ready') status.keepState(stated);
  else status.pending(stated);
  await status.store();
  if (!refused) throw error;
  context.log.info('the runtime cluster refused its configuration', { error: text });
  return end(requeue);
}

// Whether the cluster of a Ready Runtime was configured for its newest version, so that nothing is requested at rest, and only what differs
// after a change.
/** What others change in the cluster is put right this often, in ms. Clusters are not watched. */
const CHECK_AGAIN_MS = 3_600_000;

const configuredVersionOf = ({ object: { metadata }, shoot, revisions }: RuntimeRun): string =>
  // Labels, such as that of the account, are a part of what the cluster is told about itself.
  JSON.stringify([
    metadata.generation,
    metadata.labels,
    shoot?.metadata.uid,
    revisions.rendering,
    revisions.bootstrapper,
  ]);

/** What this process has applied to the cluster of this Shoot; undefined: nothing. */
export function appliedTo(run: RuntimeRun): AppliedParts | undefined {
  const applied = run.context.memory.get()?.applied;
  return applied?.shoot === run.shoot?.metadata.uid ? applied?.parts : undefined;
}

/**
 * As `useRuntimeCluster`, but not at all if the same was applied within the time after which the cluster is checked again.
 *
 * @param use gets the uid of the object that it returned before, within that time
 */
export async function applyToCluster(
  run: RuntimeRun,
  part: ClusterPart,
  wanted: unknown,
  use: (cluster: RuntimeClusterUse, uid: string | undefined) => Promise<AppliedObject | number>,
): Promise<void> {
  const { clock } = run.context;
  const version = JSON.stringify(wanted);
  const { [part]: known, ...others } = appliedTo(run) ?? {};
  const isFresh = known !== undefined && clock.monotonic() - known.at < CHECK_AGAIN_MS;
  if (isFresh && known.version === version) return;
  const note = (parts: AppliedParts) => remember(run, { applied: { shoot: run.shoot?.metadata.uid, parts } });
  const result = await useRuntimeCluster(run, (cluster) => {
    note(others);
    return use(cluster, isFresh ? known.uid : undefined);
  });
  const object = typeof result === 'number' || result.uid === undefined ? {} : { uid: result.uid };
  note({ ...others, [part]: { version, at: clock.monotonic(), ...object } });
}

/** The next reconcile requests everything that is configured in the cluster. */
export function lookAtAllAgain({ context: { memory } }: RuntimeRun): void {
  const { applied: _, configured: __, ...others } = memory.get() ?? {};
  memory.set(others);
}

/** When the next check is due; undefined: now. */
export function nextCheck(run: RuntimeRun): ReconcileResult | undefined {
  const { context, object } = run;
  const configured = context.memory.get()?.configured;
  if (object.status?.state !== 'Ready' || configured?.version !== configuredVersionOf(run)) return undefined;
  const leftMs = configured.at + CHECK_AGAIN_MS - context.clock.monotonic();
  if (leftMs > 0) return pollAfter(leftMs);
  // All parts are looked at together, whenever they were applied.
  lookAtAllAgain(run);
  return undefined;
}

/** @returns when the next check is due: that of the part that was applied first */
export function rememberConfigured(run: RuntimeRun): ReconcileResult {
  const now = run.context.clock.monotonic();
  const at = Math.min(now, ...Object.values(appliedTo(run) ?? {}).map((part) => part.at));
  remember(run, { configured: { version: configuredVersionOf(run), at } });
  return pollAfter(at + CHECK_AGAIN_MS - now);
}
