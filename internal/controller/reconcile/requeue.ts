import { kindOf } from '../../base/errors/errors.ts';
import { type ReconcileResult, requeue } from '../reconcile-result.ts';

/** Runs a reconcile and requeues it if it fails with a write conflict: a newer version of the object exists. */
export async function requeueOnConflict(work: () => Promise<ReconcileResult>): Promise<ReconcileResult> {
  try {
    return await work();
  } catch (error) {
    if (kindOf(error) === 'conflict') return requeue;
    throw error;
  }
}
