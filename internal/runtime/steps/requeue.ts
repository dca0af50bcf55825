import { kindOf } from '../../base/errors/errors.ts';
import { type ReconcileResult, requeue } from '../controller/reconcile-result.ts';

/**
 * Runs a reconcile and retries quietly where its error is a write conflict at heart: somebody else wrote in between,
 * and a newer version is on its way.
 */
export async function requeueOnConflict(work: () => Promise<ReconcileResult>): Promise<ReconcileResult> {
  try {
    return await work();
  } catch (error) {
    if (kindOf(error) === 'conflict') return requeue;
    throw error;
  }
}
