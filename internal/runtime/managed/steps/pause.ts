import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import { differsFromStored, reconcilePaused, upToDatePaused } from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import { wasDeleted } from '../../resource/meta.ts';
import { conclude, type Pass } from './pass.ts';
import { messagePaused, messagePausedDeletion, reasonPaused } from './words.ts';

/** Says once that nothing happens, and that a deletion waits, which would else look like a fault. */
export function pause<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  const held = wasDeleted(pass.copy.object);
  const synced = reconcilePaused(held ? messagePausedDeletion : undefined);
  if (differsFromStored(pass.copy.object, synced)) {
    pass.events.recordWithStatus('Normal', reasonPaused, held ? messagePausedDeletion : messagePaused);
  }
  return conclude(pass, done, synced, upToDatePaused());
}
