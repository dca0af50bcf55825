import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { differsFromStored, reconcilePaused, upToDatePaused } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { messagePaused, messagePausedDeletion, reasonPaused } from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/**
 * Sets the conditions of a paused resource and records one event. A blocked deletion is stated, because it would look
 * like an error.
 */
export function pause<R extends Managed>(reconciliation: Reconciliation<R>): Promise<ReconcileResult> {
  const isBeingDeleted = wasDeleted(reconciliation.copy.object);
  const synced = reconcilePaused(isBeingDeleted ? messagePausedDeletion : undefined);
  if (differsFromStored(reconciliation.copy.object, synced)) {
    reconciliation.events.recordWithStatus(
      'Normal',
      reasonPaused,
      isBeingDeleted ? messagePausedDeletion : messagePaused,
    );
  }
  return conclude(reconciliation, done, synced, upToDatePaused());
}
