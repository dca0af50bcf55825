import { type RawBuilder, sql, type Transaction } from 'kysely';
import { notify } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { appendStatus } from '../inventory/cluster-states.ts';
import type { Reconciliation } from '../model/reconciliation.ts';

/**
 * Removes reconciliations with their operations. A cluster whose run was removed would be in progress for ever, so it is
 * pending again.
 *
 * @returns how many were removed
 */
export async function removeReconciliations(
  tx: Transaction<Schema>,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<Pick<Reconciliation, 'runtime_id' | 'config_status_id' | 'finished' | 'type'>>`
    delete from reconciliations where ${condition} returning runtime_id, config_status_id, finished, type
  `.execute(tx);
  for (const { finished, runtime_id, config_status_id, type } of rows) {
    if (finished) continue;
    const runtime = await tx
      .selectFrom('runtimes')
      .selectAll()
      .where('runtime_id', '=', runtime_id)
      .forUpdate()
      .executeTakeFirst();
    if (runtime?.status_id !== config_status_id) continue;
    await appendStatus(tx, runtime, type === 'delete' ? 'delete_pending' : 'reconcile_pending');
    await notify(tx, 'mothership_clusters', runtime_id);
  }
  return rows.length;
}
