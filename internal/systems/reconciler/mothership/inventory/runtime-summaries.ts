import type { Queries } from '../database/database.ts';
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
