import type { Selectable } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { RuntimesTable } from '../database/schema/inventory-tables.ts';
import type { RuntimeSummary } from '../model/inventory.ts';

/** The current states of the registered clusters. */
export function summaries(queries: Queries) {
  return queries
    .selectFrom('runtimes')
    .select([
      'runtime_id as runtimeId',
      'runtime_name as runtimeName',
      'global_account_id as globalAccountId',
      'plan_name as planName',
      'kyma_version as kymaVersion',
      'config_version as configVersion',
      'status',
      'status_since as statusSince',
    ])
    .$castTo<RuntimeSummary>();
}

export function summaryOf(row: Selectable<RuntimesTable>): RuntimeSummary {
  return {
    runtimeId: row.runtime_id,
    runtimeName: row.runtime_name,
    globalAccountId: row.global_account_id,
    planName: row.plan_name,
    kymaVersion: row.kyma_version,
    configVersion: row.config_version,
    status: row.status,
    statusSince: row.status_since,
  };
}
