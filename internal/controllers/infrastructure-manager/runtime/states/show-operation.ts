/** What the states show that wait for an operation of Gardener. */
import { done, pollAfter } from '../../../../controller/index.ts';
import type { RuntimeRun } from '../run.ts';
import { conditionTypes, type Reason } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { isSettled } from './is-settled.ts';

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

/** A Runtime that is settled stays as it is. */
export async function showCompleted(run: RuntimeRun, shown: Shown): Promise<Step> {
  if (isSettled(run)) return end(done);
  run.status.pending({ type: conditionTypes.provisioned, status: 'True', ...shown });
  await run.status.store();
  return end(done);
}

/** A state of the operation that Gardener does not have. */
export function showNothing(run: RuntimeRun, pollMs: number): Step {
  run.onUnexpectedStop();
  return end(pollAfter(pollMs));
}
