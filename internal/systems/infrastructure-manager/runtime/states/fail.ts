import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { type ReconcileResult, requeue } from '../../../../framework/controller/index.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';

/**
 * Stores the condition Provisioned with status False, so that the Runtime is Failed, and ends the reconcile. Only for what needs a
 * change of the Runtime, the configuration or the environment.
 *
 * @param result default: with growing delays
 */
export async function fail(
  run: RuntimeRun,
  reason: Reason,
  message: string,
  result: ReconcileResult = requeue,
): Promise<Step> {
  run.status.failed({ type: conditionTypes.provisioned, reason, message });
  await run.status.store();
  return end(result);
}

/** Stores the condition Provisioned with status False and why Gardener refused a request, which may pass: the Runtime is Pending. */
export async function retryRefused(run: RuntimeRun, reason: Reason, message: string): Promise<Step> {
  run.status.pending({ type: conditionTypes.provisioned, reason, status: 'False', message });
  await run.status.store();
  return end(requeue);
}

/** The same, counted as an unexpected stop when it is new. */
export async function failUnexpectedly(
  run: RuntimeRun,
  reason: Reason,
  message: string,
  result?: ReconcileResult,
): Promise<Step> {
  const shown = run.status.condition(conditionTypes.provisioned);
  if (shown?.reason !== reason || shown.message !== message) run.onUnexpectedStop();
  return fail(run, reason, message, result);
}

/** Shows why Gardener does not answer as it should, which passes: the Runtime is Pending. Then throws the error for a retry. */
export async function failLater(
  run: RuntimeRun,
  phase: 'creation' | 'reconcile',
  error: unknown,
): Promise<never> {
  const shown = phase === 'creation' ? messages.creationRetryable : messages.reconcileRetryable;
  const message = `${shown}: ${messageOf(error)}`;
  const { provisioned: type } = conditionTypes;
  run.status.pending({ type, reason: reasons.pending, status: 'Unknown', message });
  await run.status.store();
  throw error;
}
