import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { messageOf } from '../../../../base/errors/errors.ts';
import { requeue, requeueAfter } from '../../../../controller/index.ts';
import { isNotFound, wasDeleted } from '../../../../kube/index.ts';
import { refusalOf } from '../../gardener/refusal.ts';
import { runtimeIdOf } from '../metadata.ts';
import type { RuntimeRun } from '../run.ts';
import { deleteFailed, messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';

/** Until the deletion of the GardenerCluster is looked at again, in ms. */
const POLL_MS = 10_000;

/** Deletes the GardenerCluster, whose controller then deletes the kubeconfig, and waits until it is gone. */
export async function deleteKubeconfig(run: RuntimeRun): Promise<Step> {
  const { context, object, status, shoot } = run;
  const found = await findGardenerCluster(run);
  if (found !== undefined) return deleteGardenerCluster(run, found);
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

async function findGardenerCluster({ object, context }: RuntimeRun): Promise<GardenerCluster | undefined> {
  const name = runtimeIdOf(object);
  if (name === undefined) return undefined;
  const { namespace } = object.metadata;
  try {
    return await context.client.get(gardenerClusters, { namespace, name }, context);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
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
