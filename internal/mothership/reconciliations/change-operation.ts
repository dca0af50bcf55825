import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema/schema.ts';
import type { Store } from '../database/store.ts';
import { isFinal, type OperationState } from '../model/reconciliation.ts';
import { advance } from './advance.ts';
import type { ChangeContext } from './context.ts';
import type { Ended } from './finish-reconciliation.ts';
import { type OperationRow, operationOf, type ReconciliationRow } from './rows.ts';

export interface OperationKey {
  readonly schedulingId: string;
  readonly correlationId: string;
}

/** Columns of `operations` that change, as SQL after `set`, and the condition on the row. */
export interface OperationChange {
  readonly set: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
}

/**
 * Changes an operation that is no longer in progress then, and releases what follows or ends the reconciliation, in one
 * transaction.
 *
 * @returns undefined, with nothing changed, if the condition does not hold
 */
export async function settleOperation(
  store: Store,
  key: OperationKey,
  change: OperationChange,
  context: ChangeContext,
): Promise<OperationRow | undefined> {
  const outcome = await store.transaction(async (tx) => {
    const locked = await lockReconciliation(tx, key.schedulingId);
    if (locked === undefined) return undefined;
    const operation = await changeOperation(tx, key, change);
    if (operation === undefined) return undefined;
    return { operation, ended: await advance(tx, locked, context, operation.component) };
  });
  if (outcome === undefined) return undefined;
  const { operation, ended } = outcome;
  reportOperation(operation, context);
  if (ended !== undefined) reportEnded(ended, context);
  return operation;
}

/** Changes one operation. Returns its row then; undefined if the condition does not hold. */
export async function changeOperation(
  queries: Store['queries'],
  { schedulingId, correlationId }: OperationKey,
  { set, where }: OperationChange,
): Promise<OperationRow | undefined> {
  const { rows } = await sql<OperationRow>`
    update operations set ${set}, updated = clock_timestamp()
    where scheduling_id = ${schedulingId} and correlation_id = ${correlationId} and ${where}
    returning *
  `.execute(queries);
  return rows[0];
}

export async function lockReconciliation(
  tx: Transaction<Schema>,
  schedulingId: string,
): Promise<ReconciliationRow | undefined> {
  return tx
    .selectFrom('reconciliations')
    .selectAll()
    .where('scheduling_id', '=', schedulingId)
    .forUpdate()
    .executeTakeFirst();
}

/** Tells the observers of an operation that ended, after the transaction is committed. */
function reportOperation(row: OperationRow, { observers }: ChangeContext): void {
  if (!isFinal(row.state)) return;
  for (const { operationEnded } of observers) operationEnded?.(operationOf(row));
}

/** Tells the observers of a reconciliation that ended, after the transaction is committed. */
export function reportEnded({ runtimeId, result, runtime }: Ended, { observers, log }: ChangeContext): void {
  log.info('reconciliation ended', { runtimeId, result });
  for (const { reconciliationEnded, statusChanged } of observers) {
    reconciliationEnded?.(result);
    statusChanged?.(runtimeId, runtime);
  }
}

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
