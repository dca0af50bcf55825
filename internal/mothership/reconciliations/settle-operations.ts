import type { Store } from '../database/store.ts';
import { advanceAll } from './advance.ts';
import { changeOperations, type OperationChange } from './change-operations.ts';
import type { ChangeContext } from './context.ts';
import { lockReconciliations } from './lock-reconciliations.ts';
import { reportEnded, reportOperation } from './report.ts';
import type { OperationRow } from './rows.ts';

/**
 * Changes operations that are no longer in progress then, and releases what follows or ends their reconciliations, in one
 * transaction. The operations are different ones.
 *
 * @returns the row of each change; undefined, with nothing changed, where its condition does not hold
 */
export async function settleOperations(
  store: Store,
  changes: readonly OperationChange[],
  context: ChangeContext,
): Promise<(OperationRow | undefined)[]> {
  const { operations, ended } = await store.transaction(async (tx) => {
    const locked = await lockReconciliations(
      tx,
      changes.map(({ schedulingId }) => schedulingId),
    );
    const operations = await changeOperations(tx, changes);
    const changed = new Set(operations.map(({ scheduling_id }) => scheduling_id));
    const components = new Set(operations.map(({ component }) => component));
    const advanced = locked.filter(({ scheduling_id }) => changed.has(scheduling_id));
    return { operations, ended: await advanceAll(tx, advanced, context, components) };
  });
  for (const operation of operations) reportOperation(operation, context);
  for (const end of ended) reportEnded(end, context);
  return changes.map(({ schedulingId, correlationId }) =>
    operations.find((row) => row.scheduling_id === schedulingId && row.correlation_id === correlationId),
  );
}
