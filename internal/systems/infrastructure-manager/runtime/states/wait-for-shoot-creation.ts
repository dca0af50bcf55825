import { done } from '../../../../framework/controller/index.ts';
import { codesOf, isRetryable, type LastErrors } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { fail, failUnexpectedly } from './fail.ts';
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
      return failUnexpectedly(run, reasons.creationError, creationFailed(lastErrors), done);
    case 'Succeeded':
      return showCompleted(run, {
        reason: reasons.shootCreationCompleted,
        message: messages.creationCompleted,
      });
    default:
      return showNothing(run, POLL_MS);
  }
}

/** Why it failed is a condition of its own, in full. */
const creationFailed = (errors: LastErrors | undefined): string =>
  [messages.creationFailed, ...(codesOf(errors).length === 0 ? [] : [codesOf(errors).join(', ')])].join(': ');

const pending = (run: RuntimeRun, message: string): Promise<Step> =>
  showInProgress(run, { reason: reasons.pending, message }, POLL_MS);
