import { done } from '../../../../framework/controller/index.ts';
import { codesOf, isRetryable } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { failUnexpectedly } from './fail.ts';
import { showCompleted, showInProgress, showNothing } from './show-operation.ts';

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
      return showInProgress(run, { reason: reasons.processing, message: messages.updateInProgress }, POLL_MS);
    case 'Failed':
      if (isRetryable(lastErrors)) {
        const shown = { reason: reasons.pending, message: messages.reconcileRetryable };
        return showInProgress(run, shown, POLL_MS);
      }
      return failUnexpectedly(run, reasons.processingError, codesOf(lastErrors).join(', '), done);
    case 'Succeeded':
      // The control plane has left its seed, and a Restore follows.
      if (lastOperation.type === 'Migrate')
        return showInProgress(
          run,
          { reason: reasons.processing, message: messages.updateInProgress },
          POLL_MS,
        );
      return showCompleted(run, {
        reason: reasons.configurationCompleted,
        message: messages.processingCompleted,
      });
    default:
      return showNothing(run, POLL_MS);
  }
}
