import { done, pollAfter } from '../../../../controller/index.ts';
import { isRetryable } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { fail } from './fail.ts';
import { isSettled } from './is-settled.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 60_000;

/** What Gardener's scheduler says when no seed fits. */
const NO_SEED = /Failed to schedule Shoot: none out of the \d+ seeds has a matching provider for "/;

/** Shows how far Gardener is with the creation. */
export async function waitForShootCreation(run: RuntimeRun): Promise<Step> {
  const { lastOperation, lastErrors } = run.shoot?.status ?? {};
  switch (lastOperation?.state) {
    case 'Processing':
    case 'Pending':
    case 'Aborted':
    case 'Error':
      return NO_SEED.test(lastOperation.description)
        ? fail(run, reasons.creationError, messages.noMatchingSeeds, done)
        : inProgress(run, messages.creationInProgress);
    case 'Failed':
      if (isRetryable(lastErrors)) return inProgress(run, messages.creationRetryable);
      run.onUnexpectedStop();
      return fail(run, reasons.creationError, messages.creationFailed, done);
    case 'Succeeded':
      return completed(run);
    default:
      run.onUnexpectedStop();
      return end(pollAfter(POLL_MS));
  }
}

async function inProgress({ status }: RuntimeRun, message: string): Promise<Step> {
  status.pending({ type: conditionTypes.provisioned, reason: reasons.pending, status: 'Unknown', message });
  await status.store();
  return end(pollAfter(POLL_MS));
}

async function completed(run: RuntimeRun): Promise<Step> {
  if (isSettled(run)) return end(done);
  run.status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.shootCreationCompleted,
    status: 'True',
    message: messages.creationCompleted,
  });
  await run.status.store();
  return end(done);
}
