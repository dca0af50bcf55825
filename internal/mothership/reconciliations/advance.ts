import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { processable, resultOf } from '../../reconciliation/processable.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { OperationState } from '../model/reconciliation.ts';
import type { ChangeContext } from './context.ts';
import { type Ended, finishReconciliation } from './finish-reconciliation.ts';
import type { OperationRow, ReconciliationRow } from './rows.ts';

const SENDABLE: readonly OperationState[] = ['new', 'orphan', 'client_error'];

/**
 * Releases the operations of a reconciliation that have their turn now, or ends it. The caller has locked its row in this
 * transaction, so that changes of its operations take turns.
 *
 * @param changed the component whose operation ended; others may wait for its limit
 */
export async function advance(
  tx: Transaction<Schema>,
  reconciliation: ReconciliationRow,
  context: ChangeContext,
  changed?: string,
): Promise<Ended | undefined> {
  if (reconciliation.finished) return undefined;
  const operations = await tx
    .selectFrom('operations')
    .selectAll()
    .where('scheduling_id', '=', reconciliation.scheduling_id)
    .orderBy('priority')
    .orderBy('released', 'desc')
    .orderBy('component')
    .execute();
  const result = resultOf(operations);
  if (result !== 'reconciling' && result !== 'deleting') {
    return finishReconciliation(tx, { reconciliation, operations, result, context });
  }
  const maxParallel = reconciliation.max_parallel ?? context.settings.maxParallel;
  await release(tx, reconciliation.scheduling_id, operations, maxParallel);
  const isLimited = changed !== undefined && Object.hasOwn(context.settings.maxParallelByComponent, changed);
  if (isLimited) await sql`select pg_notify('mothership_operations', '')`.execute(tx);
  return undefined;
}

/** Sets `released` of what may be claimed, and takes it from what may not any more, after an error. */
async function release(
  tx: Transaction<Schema>,
  schedulingId: string,
  operations: readonly OperationRow[],
  maxParallel: number,
): Promise<void> {
  const wanted = new Set(processable(operations, maxParallel));
  const added = operations.filter((operation) => wanted.has(operation) && !operation.released);
  const removed = operations.filter(
    (operation) => operation.released && SENDABLE.includes(operation.state) && !wanted.has(operation),
  );
  const ids = (rows: readonly OperationRow[]) => rows.map(({ correlation_id }) => correlation_id);
  if (removed.length > 0) {
    await tx
      .updateTable('operations')
      .set({ released: false })
      .where('scheduling_id', '=', schedulingId)
      .where('correlation_id', 'in', ids(removed))
      .where('state', 'in', SENDABLE)
      .execute();
  }
  if (added.length === 0) return;
  await tx
    .with('changed', (query) =>
      query
        .updateTable('operations')
        .set({ released: true })
        .where('scheduling_id', '=', schedulingId)
        .where('correlation_id', 'in', ids(added))
        .returning('correlation_id'),
    )
    .selectNoFrom(sql`pg_notify('mothership_operations', ${schedulingId})`.as('notified'))
    .execute();
}
