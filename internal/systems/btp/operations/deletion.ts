/** Deletes the resource in Service Manager before its object goes, and what a failed create left. */

import {
  done,
  type ReconcileResult,
  removeFinalizer,
  requeue,
  requeueInProgress,
  step,
} from '../../../framework/controller/index.ts';
import { type KubeObject, wasDeleted } from '../../../framework/kube/index.ts';
import { deletionPolicyAnnotation, finalizer } from '../metadata.ts';
import { deleteAfterRecoveryText, orphanedText, reasons, successText } from '../status/messages.ts';
import { deleteOwn } from './delete-own.ts';
import type { ExternalResource } from './external-resource.ts';
import { isConcurrent } from './report-failure.ts';
import { mayBeCreated, noOperation, type Run, setStatus, type UnconnectedRun } from './run.ts';

/** Polls of an operation, after which a create whose result is unknown counts as without effect. */
const POLLS_UNTIL_KNOWN = 6;

/** For a deleted object. */
export async function deleteResource(run: Run): Promise<ReconcileResult> {
  const { object, client, external, conditions, status, settings, context } = run;
  return step('delete', async () => {
    await client.admit(context);
    if (external.id() === '') {
      const [found, ...others] = await external.find();
      if (found === undefined) return nothingToDelete(run);
      await deleteOthers(run, others);
      setStatus(object, noOperation);
      external.setID(found.id);
      conditions.inProgress('delete', deleteAfterRecoveryText);
      await status.store();
    }
    await context.guard.beforeWrite({ destructive: 'deletion' });
    try {
      const deletion = await deleteOwn(run, external.id());
      if (deletion.state === 'gone') {
        // What follows are requests to the API server: others may call Service Manager meanwhile.
        client.release();
        return finishDeletion(run, external);
      }
      setStatus(object, { operationURL: deletion.operationURL, operationType: 'delete' });
    } catch (error) {
      // The next attempt succeeds after the operation in progress has ended.
      if (!isConcurrent(error)) throw error;
    }
    conditions.inProgress('delete');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  });
}

/** All have the identity of the object. The status has room for the ID of one; these are not polled. */
async function deleteOthers(run: Run, others: readonly { readonly id: string }[]): Promise<void> {
  for (const { id } of others) {
    await run.context.guard.beforeWrite({ destructive: 'deletion' });
    await deleteOwn(run, id);
  }
}

/**
 * A create whose result is unknown may still take effect, so the resource is looked up a few times. The time is measured by
 * the clock of this process: that of the API server, in `deletionTimestamp`, may differ from it.
 */
async function nothingToDelete(run: Run): Promise<ReconcileResult> {
  const { object, external, conditions, status, settings, context } = run;
  const { pollIntervalMs } = settings;
  const { clock, memory } = context;
  const nothingFoundAt = memory.get()?.nothingFoundAt ?? clock.monotonic();
  memory.set({ ...memory.get(), nothingFoundAt });
  if (!mayBeCreated(object) || clock.monotonic() - nothingFoundAt >= POLLS_UNTIL_KNOWN * pollIntervalMs) {
    return finishDeletion(run, external);
  }
  conditions.inProgress('delete');
  await status.store();
  return requeueInProgress(pollIntervalMs);
}

/** Orphan mitigation: what a failed create left is deleted before the next create. */
export async function removeFailedResource(run: Run): Promise<ReconcileResult> {
  const { object, external, status, settings, context } = run;
  try {
    await context.guard.beforeWrite({ destructive: true });
    const deletion = await deleteOwn(run, external.id());
    if (deletion.state === 'gone') return deletionSucceeded(run);
    setStatus(object, { operationURL: deletion.operationURL, operationType: 'delete' });
    await status.storeResult();
  } catch (error) {
    if (!isConcurrent(error)) throw error;
  }
  return requeueInProgress(settings.pollIntervalMs);
}

/** The external resource is gone: the object may go, or the next create starts after the backoff. */
export async function deletionSucceeded(run: Run): Promise<ReconcileResult> {
  if (wasDeleted(run.object)) return finishDeletion(run, run.external);
  setStatus(run.object, { ...noOperation, ready: 'False' });
  run.external.setID(undefined);
  await run.status.storeResult();
  return requeue;
}

/** For a deleted object that has nothing in Service Manager. */
export async function finishDeletion(
  run: UnconnectedRun,
  { cleanUp }: Pick<ExternalResource, 'cleanUp'>,
): Promise<ReconcileResult> {
  await removeObject(run, cleanUp);
  run.status.record('Normal', reasons.deleted, successText(run.object.kind, 'delete'));
  return done;
}

/** Whether the object is deleted and leaves its resource in Service Manager. */
export const isOrphaned = (object: KubeObject): boolean => wasDeleted(object) && leavesResource(object);

/** Whether the deletion policy of the object leaves its resource in Service Manager. */
export const leavesResource = ({ metadata: { annotations } }: KubeObject): boolean =>
  annotations?.[deletionPolicyAnnotation]?.trim().toLowerCase() === 'orphan';

/** Removes the object without a call to Service Manager. @param external `id` is that of what stays, for users */
export async function orphanResource(
  run: UnconnectedRun,
  { id, cleanUp }: Pick<ExternalResource, 'cleanUp'> & { readonly id: string },
): Promise<ReconcileResult> {
  await removeObject(run, cleanUp);
  run.status.record('Warning', reasons.orphaned, orphanedText(run.object.kind, id));
  return done;
}

async function removeObject(
  { copy, context }: UnconnectedRun,
  cleanUp: ExternalResource['cleanUp'],
): Promise<void> {
  context.guard.assertOwner();
  await cleanUp();
  await removeFinalizer(copy, finalizer, context.signal);
}
