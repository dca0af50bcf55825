import { done, pollAfter } from '../../../../controller/index.ts';
import { codesOf, isRetryable } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { fail } from './fail.ts';
import { isSettled } from './is-settled.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 30_000;

/** Shows how far Gardener is with a change. */
export async function waitForShootReconcile(run: RuntimeRun): Promise<Step> {
  const { lastOperation, lastErrors } = run.shoot?.status ?? {};
  switch (lastOperation?.state) {
    case 'Processing':
    case 'Pending':
    case 'Aborted':
    case 'Error':
      return inProgress(run, 'processing', messages.updateInProgress);
    case 'Failed':
      if (isRetryable(lastErrors)) return inProgress(run, 'pending', messages.reconcileRetryable);
      run.onUnexpectedStop();
      return fail(run, reasons.processingError, codesOf(lastErrors).join(', '), done);
    case 'Succeeded':
      return completed(run);
    default:
      run.onUnexpectedStop();
      return end(pollAfter(POLL_MS));
  }
}

async function inProgress(
  { status }: RuntimeRun,
  reason: 'processing' | 'pending',
  message: string,
): Promise<Step> {
  status.pending({ type: conditionTypes.provisioned, reason: reasons[reason], status: 'Unknown', message });
  await status.store();
  return end(pollAfter(POLL_MS));
}

async function completed(run: RuntimeRun): Promise<Step> {
  if (isSettled(run)) return end(done);
  run.status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.configurationCompleted,
    status: 'True',
    message: messages.processingCompleted,
  });
  await run.status.store();
  return end(done);
}
