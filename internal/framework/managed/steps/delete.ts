import {
  foreignFinalizers,
  hasFinalizer,
  managedFinalizer,
  removeFinalizer,
} from '../../controller/reconcile/finalizer.ts';
import type { UndoCreate } from '../../controller/reconcile/undo-create.ts';
import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import type { ExternalClient, ExternalResult } from '../kind/external-client.ts';
import { deleting, differsFromStored, reconcileSuccess } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { createIncomplete } from '../resource/meta.ts';
import { storeSetAnnotations } from './critical-annotations.ts';
import { type FailureRule, failures, step } from './messages/failures.ts';
import {
  messageCreationUnknown,
  messageDeleted,
  reasonCreationUnknown,
  reasonDeleted,
  reasonWaitingEvent,
  waitsForFinalizersText,
} from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';
import { afterFailure, changeExternal } from './update.ts';

/** Deletes the recorded external resource. A later Observe finds whether it is gone. */
export async function deleteExternal<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  rule: FailureRule,
): Promise<ExternalResult> {
  await step(rule, () => {
    reconciliation.calls.begin();
    return reconciliation.guard.beforeWrite({ destructive: true });
  });
  const { copy } = reconciliation;
  const store = () => storeSetAnnotations(copy, reconciliation);
  const result = await step(rule, async () => {
    try {
      return await changeExternal(reconciliation, 'delete', (ctx) => client.delete(copy.object, ctx));
    } catch (error) {
      await afterFailure(reconciliation, store);
      throw error;
    }
  });
  await step(rule, store);
  reconciliation.events.record('Normal', reasonDeleted, messageDeleted);
  return result;
}

/** Deletes what this reconcile has created for a resource that is gone, if its policies say so. */
export const undoOf = <R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): UndoCreate => ({
  isAllowed: () => reconciliation.policies.deletesExternal,
  remove: async () => {
    const { copy } = reconciliation;
    await changeExternal(reconciliation, 'delete', (ctx) => client.delete(copy.object, ctx));
  },
  // The log lines of the reconcile have the external name.
  describe: () => ({}),
});

/** Removes the connection details and the finalizer. The external resource is deleted or orphaned. */
export async function finalize<R extends Managed>(
  reconciliation: Reconciliation<R>,
  details: ConnectionDetails = {},
): Promise<ReconcileResult> {
  const { copy, publisher, signal, kind, timings } = reconciliation;
  const hadFinalizer = hasFinalizer(copy.object, managedFinalizer);
  await step(failures.unpublish, () => publisher.unpublish(copy.object, details, signal));
  await step(failures.removeFinalizer, () => removeFinalizer(copy, managedFinalizer, signal));
  if (hadFinalizer) timings.released(copy.object);
  await step(failures.endConfigUse, () => kind.configUse?.end(copy.object, signal));
  const waited = waitForFinalizers(reconciliation, done);
  if (waited !== undefined) return waited;
  // The object is gone, so no status write follows.
  reconciliation.events.recordPending();
  return done;
}

/**
 * Concludes the reconcile while finalizers of other controllers hold the object, and reports them. Returns `undefined` if there
 * are none. Their removal is a relevant update.
 */
export function waitForFinalizers<R extends Managed>(
  reconciliation: Reconciliation<R>,
  result: ReconcileResult,
): Promise<ReconcileResult> | undefined {
  const { object } = reconciliation.copy;
  const finalizers = foreignFinalizers(object, managedFinalizer);
  if (finalizers.length === 0) return undefined;
  const text = waitsForFinalizersText(finalizers);
  const ready = deleting(text);
  if (differsFromStored(object, ready))
    reconciliation.events.recordWithStatus('Normal', reasonWaitingEvent, text);
  return conclude(reconciliation, result, ready, reconcileSuccess());
}

/** Records a Warning if the outcome of a create was never recorded, or its result never found: an external resource may be left. */
export function warnOfUnknownCreation<R extends Managed>(
  { kind, copy: { object }, events }: Reconciliation<R>,
  wasNeverFound: boolean,
): void {
  const isUnknown = !kind.deterministicExternalName && createIncomplete(object);
  if (!isUnknown && !wasNeverFound) return;
  events.record('Warning', reasonCreationUnknown, messageCreationUnknown);
}
