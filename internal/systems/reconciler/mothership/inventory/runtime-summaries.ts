import type { Queries } from '../database/database.ts';
import type { ClusterBounds, RuntimeSummary } from '../model/inventory.ts';

/** The current states of the registered clusters. */
export function summaries(queries: Queries, { perTenant, limit }: ClusterBounds) {
  return queries
    .selectFrom((of) =>
      of
        .selectFrom('runtimes')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('tenant').orderBy('created').orderBy('runtime_id'))
            .as('place'),
        )
        .as('ranked'),
    )
    .where('place', '<=', perTenant)
    .orderBy('place')
    .orderBy('runtime_id')
    .limit(limit)
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
