import type { RuntimeRun } from '../run.ts';
import { conditionTypes } from '../status/reasons.ts';

/** The condition already tells that the Shoot is as the Runtime says, whatever the operation was. */
export const isSettled = ({ object, status }: RuntimeRun): boolean =>
  // What else may have failed has a condition of its own.
  object.status?.state !== undefined &&
  object.status.state !== 'Terminating' &&
  status.condition(conditionTypes.provisioned)?.status === 'True';
