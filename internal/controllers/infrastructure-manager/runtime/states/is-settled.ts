import type { RuntimeRun } from '../run.ts';
import { conditionTypes } from '../status/reasons.ts';

/** The condition already tells that the Shoot is as the Runtime says, whatever the operation was. */
export const isSettled = ({ object, status }: RuntimeRun): boolean =>
  (object.status?.state === 'Pending' || object.status?.state === 'Ready') &&
  status.condition(conditionTypes.provisioned)?.status === 'True';
