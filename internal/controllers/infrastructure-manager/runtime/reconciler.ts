/** The reconcile of a Runtime: the state machine, with the status, the Shoot and the memory that its states share. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type ReconcileResult, type Reconciler, requeueAfter } from '../../../controller/index.ts';
import { runMachine } from './machine/machine.ts';
import type { RuntimeMemory, RuntimeReconcilerOptions, RuntimeRun } from './run.ts';
import { createRuntimeStatusStore } from './status/status-store.ts';

export const createRuntimeReconciler =
  (options: RuntimeReconcilerOptions): Reconciler<Runtime, RuntimeMemory> =>
  async (copy, context) => {
    const run: RuntimeRun = {
      ...options,
      copy,
      object: copy.object,
      context,
      status: createRuntimeStatusStore(copy, context),
      shoot: undefined,
      recheckMs: undefined,
    };
    return notLater(await runMachine(run), run.recheckMs);
  };

function notLater(result: ReconcileResult, recheckMs: number | undefined): ReconcileResult {
  if (recheckMs === undefined) return result;
  const isLater = result.type === 'done' || (result.type === 'requeue-after' && result.delayMs > recheckMs);
  return isLater ? requeueAfter(recheckMs) : result;
}
