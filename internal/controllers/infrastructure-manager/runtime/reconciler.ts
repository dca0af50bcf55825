/** The reconcile of a Runtime: the state machine, with the status, the Shoot and the memory that its states share. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Reconciler } from '../../../controller/index.ts';
import { runMachine } from './machine/machine.ts';
import type { RuntimeMemory, RuntimeReconcilerOptions } from './run.ts';
import { createRuntimeStatusStore } from './status/status-store.ts';

export const createRuntimeReconciler =
  (options: RuntimeReconcilerOptions): Reconciler<Runtime, RuntimeMemory> =>
  (copy, context) =>
    runMachine({
      ...options,
      copy,
      object: copy.object,
      context,
      status: createRuntimeStatusStore(copy, context),
      shoot: undefined,
    });
