/** What the states show that wait for an operation of Gardener. */
import { pollAfter } from '../../../../framework/controller/index.ts';
import type { RuntimeRun } from '../run.ts';
import { conditionTypes, type Reason } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';

export interface Shown {
  readonly reason: Reason;
  readonly message: string;
}

/** @param pollMs safety net beside the watch of Shoots */
export async function showInProgress({ status }: RuntimeRun, shown: Shown, pollMs: number): Promise<Step> {
  status.pending({ type: conditionTypes.provisioned, status: 'Unknown', ...shown });
  await status.store();
  return end(pollAfter(pollMs));
}

/** A Runtime that tells so already stays as it is. HandleKubeconfig stores the condition, together with its own. */
export function showCompleted(run: RuntimeRun, shown: Shown): Step {
  if (!isSettled(run)) run.status.pending({ type: conditionTypes.provisioned, status: 'True', ...shown });
  return next('HandleKubeconfig');
}

/** A state of the operation that Gardener does not have. */
export function showNothing(run: RuntimeRun, pollMs: number): Step {
  run.onUnexpectedStop();
  return end(pollAfter(pollMs));
}

/** The condition already tells that the Shoot is as the Runtime says, whatever the operation was. */
const isSettled = ({ object, status }: RuntimeRun): boolean =>
  // What else may have failed has a condition of its own.
  object.status?.state !== undefined &&
  object.status.state !== 'Terminating' &&
  status.condition(conditionTypes.provisioned)?.status === 'True';
