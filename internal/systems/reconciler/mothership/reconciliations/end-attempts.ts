import { createBatcher } from '../database/create-batcher.ts';
import type { Store } from '../database/store.ts';
import { type ChangedOperation, changeOperations, type OperationChange } from './change-operations.ts';
import type { ChangeContext } from './context.ts';
import { continueReconciliations } from './continue-reconciliations.ts';
import { lockReconciliations } from './lock-reconciliations.ts';
import { reportEnded, reportOperation } from './report.ts';

/** Ends the attempt of one operation; undefined, with nothing changed, if the condition of the change does not hold. */
export type EndAttempt = (change: OperationChange) => Promise<ChangedOperation | undefined>;

/** Ends attempts as `endAttempts` does, those that come at the same time in one transaction. */
export const createEndAttempt = (store: Store, context: ChangeContext): EndAttempt =>
  createBatcher({
    keyOf: ({ correlationId }) => correlationId,
    run: (changes) => endAttempts(store, changes, context),
  });

/**
 * Changes operations that are no longer in progress then, and releases what follows or ends their reconciliations, in one
 * transaction. The operations are different ones.
 *
 * @returns what each change made; undefined, with nothing changed, where its condition does not hold
 */
async function endAttempts(
  store: Store,
  changes: readonly OperationChange[],
  context: ChangeContext,
): Promise<(ChangedOperation | undefined)[]> {
  const { operations, ended } = await store.transaction(async (tx) => {
    const locked = await lockReconciliations(
      tx,
      changes.map(({ schedulingId }) => schedulingId),
    );
    const operations = await changeOperations(tx, changes);
    const changed = new Set(operations.map(({ schedulingId }) => schedulingId));
    const components = new Set(operations.map(({ component }) => component));
    const continued = locked.filter(({ scheduling_id }) => changed.has(scheduling_id));
    return { operations, ended: await continueReconciliations(tx, continued, context, components) };
  });
  for (const operation of operations) reportOperation(operation, context);
  for (const end of ended) reportEnded(end, context);
  return changes.map(({ schedulingId, correlationId }) =>
    operations.find((each) => each.schedulingId === schedulingId && each.correlationId === correlationId),
  );
}
