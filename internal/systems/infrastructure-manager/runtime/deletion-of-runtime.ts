/** The deletion of a Runtime: its GardenerCluster, then its Shoot, then what is left in Gardener, then its finalizer. */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { messageOf } from '../../../framework/base/index.ts';
import {
  done,
  pollAfter,
  removeFinalizer,
  requeue,
  requeueAfter,
} from '../../../framework/controller/index.ts';
import { isNotFound, keyOf, keyString, wasDeleted } from '../../../framework/kube/index.ts';
import { recordedOwnership } from '../../../framework/ownership/ownership.ts';
import { ask, gardenerRefusal, isLasting, isRefused, namespaceOf } from '../gardener/gardener.ts';
import { recordedRuntime } from '../gardenercluster/metadata.ts';
import {
  annotationConfirmDeletion,
  annotationRuntimeId,
  finalizer,
  isDeletionConfirmed,
  runtimeIdOf,
} from '../metadata.ts';
import { releaseAuditLog } from './audit-log.ts';
import { authenticationConfigDeleteFailed, deleteFailed, messages, shootDeleteFailed } from './messages.ts';
import { foreignShoot, ownGardenerClusters, runtimeOwner } from './ownership.ts';
import { cachesOfRuntime, deleteGardenSecrets, hadCaches } from './registry-caches.ts';
import { type End, end, next, type RuntimeRun, remember, type StepOf, shootNameOf } from './run.ts';
import { deleteAuthenticationConfig, readShoot } from './shoot-of-runtime.ts';
import { conditionTypes, type Reason, reasons } from './status.ts';

/** Until the deletion of the GardenerCluster is looked at again, in ms. */
const CLUSTER_POLL_MS = 10_000;

/**
 * Deletes the GardenerCluster, whose controller then deletes the kubeconfig, and waits until it is gone. Neither that nor the Shoot of
 * another Runtime is deleted, whatever name and labels this one has.
 */
export async function deleteKubeconfig(run: RuntimeRun): Promise<StepOf<'DeleteKubeconfig'>> {
  const { context, object, status, shoot } = run;
  const foreign = await foreignShoot(run, 'delete');
  const [found] = await ownGardenerClusters(run, foreign === undefined);
  if (found !== undefined) return deleteGardenerCluster(run, found);
  if (foreign !== undefined) return leaveShoot(run, foreign);
  if (shoot === undefined) return next('RemoveFinalizer');
  const deprovisioned = status.condition(conditionTypes.deprovisioned);
  const isPast = deprovisioned !== undefined && PAST.includes(deprovisioned.reason);
  if (!isPast || object.status?.state === undefined) {
    status.deletion({
      type: conditionTypes.deprovisioned,
      reason: reasons.gardenerClusterDeleted,
      status: 'True',
      message: messages.gardenerClusterDeleted,
    });
    await status.store();
  }
  context.signal.throwIfAborted();
  return next('DeleteShoot');
}

/** Conditions that only a later step sets. */
const PAST: readonly string[] = [
  reasons.shootDeleted,
  reasons.structuredConfigDeleted,
] satisfies readonly Reason[];

/** The Shoot stays with its owner, and the deletion ends. */
async function leaveShoot({ status }: RuntimeRun, message: string): Promise<StepOf<'DeleteKubeconfig'>> {
  const { deprovisioned: type } = conditionTypes;
  status.deletion({ type, reason: reasons.shootNotOwned, status: 'True', message });
  await status.store();
  return next('RemoveFinalizer');
}

async function deleteGardenerCluster(run: RuntimeRun, found: GardenerCluster): Promise<End> {
  const { context, status } = run;
  if (wasDeleted(found)) return end(requeueAfter(CLUSTER_POLL_MS));
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  const { deprovisioned: type } = conditionTypes;
  try {
    await requestClusterDeletion(run, found);
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (isNotFound(error)) return end(requeue);
    const message = deleteFailed(messageOf(error));
    status.deletion({ type, reason: reasons.gardenerError, status: 'False', message });
    await status.store();
    return end(requeue);
  }
  const reason = reasons.gardenerClusterDeleted;
  status.deletion({ type, reason, status: 'Unknown', message: messages.deletionStarted });
  await status.store({ isResult: true });
  return end(requeueAfter(CLUSTER_POLL_MS));
}

async function requestClusterDeletion({ context }: RuntimeRun, found: GardenerCluster): Promise<void> {
  context.guard.assertMayWrite();
  const { uid } = found.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  await context.client.delete(gardenerClusters, keyOf(found), { ...context, ...preconditions });
}

/**
 * Deletes the GardenerClusters of IDs that the Runtime had before: with one of them, no other Runtime could have its ID. Only what is
 * recorded as of this Runtime goes. What stays until the Runtime is deleted:
 *
 * - the one with the ID that the Shoot says, which tells whose the Shoot is
 * - the one with the name of the Runtime, since brokers name Runtimes by their IDs: another label is probably a mistake
 */
export async function deleteFormerClusters(run: RuntimeRun): Promise<void> {
  for (const found of formerClusters(run)) {
    await run.context.guard.acquireOwnership();
    await run.context.guard.beforeWrite({ destructive: true });
    try {
      await requestClusterDeletion(run, found);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function formerClusters(run: RuntimeRun): readonly GardenerCluster[] {
  const { object, shoot, context } = run;
  const { namespace = '', name: own } = object.metadata;
  const kept = [own, runtimeIdOf(object), shoot?.metadata.annotations?.[annotationRuntimeId]];
  const known = context.informers.of(gardenerClusters);
  return run.clustersOf(namespace, shootNameOf(object) ?? '').flatMap((name) => {
    const found = kept.includes(name) ? undefined : known.get(keyString({ namespace, name }));
    if (found === undefined || wasDeleted(found)) return [];
    const { state } = recordedOwnership(runtimeOwner(object), recordedRuntime(found));
    return state === 'own' ? [found] : [];
  });
}

/** Safety net beside the watch of Shoots, in ms. */
const SHOOT_POLL_MS = 90_000;

/** Confirms and requests the deletion of the Shoot, and waits until Gardener has deleted it. */
export async function deleteShoot(run: RuntimeRun): Promise<StepOf<'DeleteShoot'>> {
  const { shoot, context, status } = run;
  if (shoot === undefined) return next('RemoveFinalizer');
  if (wasDeleted(shoot)) {
    // What Gardener does meanwhile.
    await status.store();
    return end(pollAfter(SHOOT_POLL_MS));
  }
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  const { deprovisioned: type } = conditionTypes;
  try {
    await confirmDeletion(run, shoot);
    await deleteOwnAuthenticationConfig(run, shoot);
    await requestDeletion(run, shoot);
  } catch (error) {
    if (isNotFound(error)) return checkGone(run, shoot);
    if (!isLasting(gardenerRefusal(error))) throw error;
    const isConfig = error instanceof AuthenticationConfigError;
    const reason: Reason = isConfig ? reasons.structuredConfigDeleted : reasons.shootDeleted;
    const message = isConfig
      ? authenticationConfigDeleteFailed(messageOf(error.cause))
      : shootDeleteFailed(messageOf(error));
    status.deletion({ type, reason, status: 'False', message });
    await status.store();
    return end(requeue);
  }
  const reason = reasons.shootDeleted;
  status.deletion({ type, reason, status: 'Unknown', message: messages.deletionStarted });
  await status.store({ isResult: true });
  return end(pollAfter(SHOOT_POLL_MS));
}

/** The Shoot may be gone already, though the informer had it. */
async function checkGone(run: RuntimeRun, { metadata: { name } }: Shoot): Promise<StepOf<'DeleteShoot'>> {
  run.shoot = await readShoot(run, name);
  return run.shoot === undefined ? next('RemoveFinalizer') : end(requeue);
}

const shootKeyOf = ({ gardener }: RuntimeRun, { metadata: { namespace, name } }: Shoot) => ({
  namespace: namespace ?? namespaceOf(gardener),
  name,
});

async function confirmDeletion(run: RuntimeRun, shoot: Shoot): Promise<void> {
  if (isDeletionConfirmed(shoot)) return;
  const { gardener, context } = run;
  const { uid } = shoot.metadata;
  const patch = { metadata: { uid, annotations: { [annotationConfirmDeletion]: 'true' } } };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.mergePatch(shoots, shootKeyOf(run, shoot), patch, context));
}

async function requestDeletion(run: RuntimeRun, shoot: Shoot): Promise<void> {
  const { gardener, context } = run;
  const { uid } = shoot.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.delete(shoots, shootKeyOf(run, shoot), { ...context, ...preconditions }));
}

class AuthenticationConfigError extends Error {}

/** Only that of this program: owners may name another one. */
async function deleteOwnAuthenticationConfig(run: RuntimeRun, shoot: Shoot): Promise<void> {
  const named = shoot.spec?.kubernetes.kubeAPIServer?.structuredAuthentication?.configMapName;
  if (!named) return;
  try {
    await deleteAuthenticationConfig(run);
  } catch (cause) {
    if (gardenerRefusal(cause) === undefined) throw cause;
    throw new AuthenticationConfigError('cannot delete the authentication configuration', { cause });
  }
}

/** API servers end requests within a minute: a create that was sent before takes effect by then, or never. */
const CREATE_MAY_FOLLOW_MS = 60_000;

/** The Shoot is gone. If a create may still take effect, the Runtime stays until that is impossible. */
export async function removeRuntimeFinalizer(run: RuntimeRun): Promise<StepOf<'RemoveFinalizer'>> {
  const { copy, context } = run;
  if (createMayFollow(run)) {
    const now = context.clock.monotonic();
    const since = context.memory.get()?.absentSince ?? now;
    remember(run, { absentSince: since });
    const leftMs = since + CREATE_MAY_FOLLOW_MS - now;
    if (leftMs > 0) return end(requeueAfter(leftMs));
  }
  await removeUnusedAuthenticationConfig(run);
  await releaseUnlessRefused(run);
  await deleteCacheSecrets(run);
  context.guard.assertOwner();
  await removeFinalizer(copy, finalizer, context.signal);
  return end(done);
}

/** An AuditLog that cannot be given back is no reason to keep a Runtime whose Shoot is gone. */
async function releaseUnlessRefused(run: RuntimeRun): Promise<void> {
  try {
    await releaseAuditLog(run);
  } catch (error) {
    if (!isRefused(error)) throw error;
    run.context.log.error('cannot give back the AuditLog of a deleted Runtime', { error: messageOf(error) });
  }
}

/** Credentials of registry caches in Gardener. That they cannot be deleted is shown, and tried again. */
async function deleteCacheSecrets(run: RuntimeRun): Promise<void> {
  if (cachesOfRuntime(run).length === 0 && !hadCaches(run)) return;
  const { status, context } = run;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  try {
    await deleteGardenSecrets(run, []);
  } catch (error) {
    const { deprovisioned: type } = conditionTypes;
    const message = `${messages.cacheSecretsDeleteFailed}: ${messageOf(error)}`;
    status.deletion({ type, reason: reasons.gardenerError, status: 'False', message });
    await status.store();
    throw error;
  }
}

/** The ConfigMap is stored before the Shoot is created, so that of a Shoot that was refused is still there. */
async function removeUnusedAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { shoot, status, context } = run;
  const { reason } = status.condition(conditionTypes.deprovisioned) ?? {};
  // Deleted with the Shoot, or that of the Shoot of another Runtime.
  const isDone = reason === reasons.shootDeleted || reason === reasons.shootNotOwned;
  if (shoot !== undefined || isDone) return;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  await deleteAuthenticationConfig(run);
}

/** Reasons that are stored only after a create had an answer, or of a Runtime that sends none. */
const ANSWERED: readonly string[] = [
  reasons.shootCreationCompleted,
  reasons.processing,
  reasons.configurationCompleted,
  reasons.creationError,
  reasons.processingError,
  reasons.shootNotOwned,
] satisfies readonly Reason[];

/**
 * A create may have been sent whose result is not known: by this process, or by an earlier one unless the condition says that the Shoot
 * existed. A condition that is False may be older than the last create.
 */
function createMayFollow({ copy: { original }, context }: RuntimeRun): boolean {
  const provisioned = original.status?.conditions?.find(({ type }) => type === conditionTypes.provisioned);
  if (provisioned === undefined) return false;
  const { create } = context.memory.get() ?? {};
  if (create !== undefined) return create === 'sent';
  const { reason, message } = provisioned;
  const isCreated =
    reason === reasons.pending &&
    (message === messages.shootPending || message === messages.creationInProgress);
  return !isCreated && !ANSWERED.includes(reason);
}
