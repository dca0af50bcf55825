import type { RuntimeRun } from '../run.ts';

/** Copies what Gardener does with the Shoot into the status. It is stored with the next condition, or by the last state. */
export function showLastOperation({ object, shoot }: RuntimeRun): void {
  const { lastOperation, lastErrors } = shoot?.status ?? {};
  // A status needs a state.
  if (object.status?.state === undefined || lastOperation === undefined) return;
  const { shootLastErrors: _, ...status } = object.status;
  object.status = {
    ...status,
    shootLastOperation: lastOperation,
    ...(lastErrors === undefined || lastErrors.length === 0 ? {} : { shootLastErrors: lastErrors }),
  };
}
