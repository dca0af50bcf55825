import { sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema/schema.ts';

/**
 * Removes a cluster: its rows are marked as deleted under another runtime id, so that the same id can be registered again.
 * Its reconciliations keep the id. The caller holds the lock of the row in `runtimes`.
 */
export async function removeCluster(tx: Transaction<Schema>, runtimeId: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select 'deleted_' || extract(epoch from clock_timestamp())::bigint || '_' || ${runtimeId}::text as name
  `.execute(tx);
  const change = { runtime_id: rows[0]?.name ?? `deleted__${runtimeId}`, deleted: true };
  await tx.deleteFrom('runtimes').where('runtime_id', '=', runtimeId).execute();
  for (const table of ['cluster_statuses', 'cluster_configs', 'clusters'] as const) {
    await sql`
      update ${sql.table(table)} set runtime_id = ${change.runtime_id}, deleted = true where runtime_id = ${runtimeId}
    `.execute(tx);
  }
}
