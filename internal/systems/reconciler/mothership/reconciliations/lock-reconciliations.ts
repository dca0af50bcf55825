import { sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema/schema.ts';
import type { LockedReconciliationRow } from './rows.ts';

/** Locks the rows of reconciliations until the end of the transaction, in an order that is the same for all. */
export async function lockReconciliations(
  tx: Transaction<Schema>,
  schedulingIds: readonly string[],
): Promise<LockedReconciliationRow[]> {
  return tx
    .selectFrom('reconciliations')
    .select(['scheduling_id', 'runtime_id', 'config_status_id', 'finished', 'max_parallel'])
    .where('scheduling_id', '=', sql<string>`any(${[...new Set(schedulingIds)]}::text[])`)
    .orderBy('scheduling_id')
    .forUpdate()
    .execute();
}
