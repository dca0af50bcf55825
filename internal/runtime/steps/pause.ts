import { reconcilePaused, upToDatePaused } from '../managed/conditions.ts';
import { wasDeleted } from '../managed/meta.ts';
import type { Managed } from '../managed/resource.ts';
import { messagePaused, messagePausedDeletion, reasonPaused } from '../managed/words.ts';
import { done, type ReconcileResult } from '../reconcile-result.ts';
import { conclude, type Pass, tellWithStatus } from './pass.ts';
import { isNew } from './report.ts';

/** Says once that nothing happens, and that a deletion waits, which would else look like a fault. */
export function pause<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  const held = wasDeleted(pass.copy.object);
  const synced = reconcilePaused(held ? messagePausedDeletion : undefined);
  if (isNew(pass.copy.object, synced)) {
    tellWithStatus(pass, 'Normal', reasonPaused, held ? messagePausedDeletion : messagePaused);
  }
  return conclude(pass, done, synced, upToDatePaused());
}
