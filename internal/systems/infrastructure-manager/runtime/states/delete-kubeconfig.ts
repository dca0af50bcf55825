import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { requeue, requeueAfter } from '../../../../framework/controller/index.ts';
import { isNotFound, wasDeleted } from '../../../../framework/kube/index.ts';
import { refusalOf } from '../../gardener/refusal.ts';
import { ownGardenerClusters } from '../ownership/cluster-ownership.ts';
import { foreignShoot } from '../ownership/shoot-ownership.ts';
import type { RuntimeRun } from '../run.ts';
import { deleteFailed, messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';

/** Until the deletion of the GardenerCluster is looked at again, in ms. */
const POLL_MS = 10_000;

/**
 * Deletes the GardenerCluster, whose controller then deletes the kubeconfig, and waits until it is gone. Neither that nor the Shoot of
 * another Runtime is deleted, whatever name and labels this one has.
 */
export async function deleteKubeconfig(run: RuntimeRun): Promise<Step> {
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
async function leaveShoot({ status }: RuntimeRun, message: string): Promise<Step> {
  const { deprovisioned: type } = conditionTypes;
  status.deletion({ type, reason: reasons.shootNotOwned, status: 'True', message });
  await status.store();
  return next('RemoveFinalizer');
}

async function deleteGardenerCluster(run: RuntimeRun, found: GardenerCluster): Promise<Step> {
  const { context, status } = run;
  if (wasDeleted(found)) return end(requeueAfter(POLL_MS));
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  context.guard.assertMayWrite();
  const { namespace, name, uid } = found.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  const { deprovisioned: type } = conditionTypes;
  try {
    await context.client.delete(gardenerClusters, { namespace, name }, { ...context, ...preconditions });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== 'refused' && refusal !== 'forbidden') throw error;
    if (isNotFound(error)) return end(requeue);
    const message = deleteFailed(messageOf(error));
    status.deletion({ type, reason: reasons.gardenerError, status: 'False', message });
    await status.store();
    return end(requeue);
  }
  const reason = reasons.gardenerClusterDeleted;
  status.deletion({ type, reason, status: 'Unknown', message: messages.deletionStarted });
  await status.store({ isResult: true });
  return end(requeueAfter(POLL_MS));
}
