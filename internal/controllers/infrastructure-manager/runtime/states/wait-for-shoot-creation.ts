import { done } from '../../../../controller/index.ts';
import { isRetryable } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { fail } from './fail.ts';
import { showCompleted, showInProgress, showNothing } from './show-operation.ts';

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
        : pending(run, messages.creationInProgress);
    case 'Failed':
      if (isRetryable(lastErrors)) return pending(run, messages.creationRetryable);
      run.onUnexpectedStop();
      return fail(run, reasons.creationError, messages.creationFailed, done);
    case 'Succeeded':
      return showCompleted(run, {
        reason: reasons.shootCreationCompleted,
        message: messages.creationCompleted,
      });
    default:
      return showNothing(run, POLL_MS);
  }
}

const pending = (run: RuntimeRun, message: string): Promise<Step> =>
  showInProgress(run, { reason: reasons.pending, message }, POLL_MS);
