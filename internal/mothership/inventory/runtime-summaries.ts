import type { Queries } from '../database/database.ts';
import { isStorable } from '../database/storable.ts';
import type { ClusterSelection, ListedCluster, RuntimeSummary } from '../model/inventory.ts';

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

/** A page of the registered clusters. */
export async function listClusters(
  queries: Queries,
  { statuses, kymaVersions, prefix, after, limit }: ClusterSelection,
): Promise<ListedCluster[]> {
  const texts = [prefix, after, ...(kymaVersions ?? [])].filter((text) => text !== undefined);
  if (!texts.every(isStorable)) return [];
  const rows = await summaries(queries)
    .select(['error_count as errors', 'next_run_at as nextRun'])
    .$if(statuses !== undefined, (query) => query.where('status', 'in', statuses ?? []))
    .$if(kymaVersions !== undefined, (query) => query.where('kyma_version', 'in', kymaVersions ?? []))
    .$if(prefix !== undefined, (query) =>
      query.where((of) => of.fn('starts_with', ['runtime_id', of.val(prefix)])),
    )
    .$if(after !== undefined, (query) => query.where('runtime_id', '>', after ?? ''))
    .orderBy('runtime_id')
    .limit(limit)
    .$castTo<RuntimeSummary & { readonly errors: number; readonly nextRun: Date | null }>()
    .execute();
  return rows.map((row) => ({ ...row, nextRun: row.nextRun ?? undefined }));
}
