/** The reconcile of a Runtime: the state machine, with the status, the Shoot and the memory that its states share. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { findCause, messageOf } from '../../../framework/base/index.ts';

import {
  type ReconcileResult,
  type Reconciler,
  reasonWaitingForFinalizers,
  reportingHeldDeletion,
  requeueAfter,
} from '../../../framework/controller/index.ts';
import { KubeApiError, wasDeleted, withCondition } from '../../../framework/kube/index.ts';
import { UnprovenAbsenceError } from '../../../framework/ownership/ownership.ts';
import { finalizer } from './metadata.ts';
import { type RuntimeMemory, type RuntimeReconcilerOptions, type RuntimeRun, revisionsOf } from './run.ts';
import { runStates } from './runtime-to-ready.ts';
import { conditionTypes, createRuntimeStatusStore, reasons } from './status/status.ts';

export const createRuntimeReconciler = (
  options: RuntimeReconcilerOptions,
): Reconciler<Runtime, RuntimeMemory> =>
  reportingHeldDeletion(runtimeReconciler(options), { own: finalizer, show: showHeldDeletion });

/** The Shoot is gone, and finalizers of others hold the Runtime. */
function showHeldDeletion(
  object: Runtime,
  message: string,
  { clock }: Pick<RuntimeRun['context'], 'clock'>,
): void {
  const { deprovisioned: type } = conditionTypes;
  const stated = { type, status: 'Unknown', reason: reasonWaitingForFinalizers, message } as const;
  const conditions = withCondition(object.status?.conditions ?? [], stated, clock.now());
  const complete = conditions.map((each) => ({ ...each, message: each.message ?? '' }));
  object.status = { ...object.status, state: 'Terminating', conditions: complete };
}

const runtimeReconciler =
  (options: RuntimeReconcilerOptions): Reconciler<Runtime, RuntimeMemory> =>
  async (copy, context) => {
    const run: RuntimeRun = {
      ...options,
      copy,
      object: copy.object,
      context,
      status: createRuntimeStatusStore(copy, context),
      shoot: undefined,
      revisions: revisionsOf(options),
      claimed: undefined,
      recheckMs: undefined,
    };
    const result = await runStates(run).catch((error: unknown) => showUnproven(run, error));
    return notLater(result, run.recheckMs);
  };

/** A deletion that cannot go on, since nothing proves that something is gone, says so. @throws the error, for a retry */
async function showUnproven({ object, status }: RuntimeRun, error: unknown): Promise<never> {
  const isUnproven =
    findCause(error, UnprovenAbsenceError) !== undefined || findCause(error, KubeApiError)?.status === 404;
  if (isUnproven && wasDeleted(object)) {
    const { deprovisioned: type } = conditionTypes;
    status.deletion({ type, reason: reasons.gardenerError, status: 'Unknown', message: messageOf(error) });
    await status.store();
  }
  throw error;
}

function notLater(result: ReconcileResult, recheckMs: number | undefined): ReconcileResult {
  if (recheckMs === undefined) return result;
  const isLater = result.type === 'done' || (result.type === 'requeue-after' && result.delayMs > recheckMs);
  return isLater ? requeueAfter(recheckMs) : result;
}
