import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { RuntimesTable } from '../database/schema/inventory-tables.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { VersionedStatus } from '../model/cluster.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';

/** What a row of `runtimes` has of the current status. */
export type CurrentVersions = Pick<
  Selectable<RuntimesTable>,
  'runtime_id' | 'cluster_version' | 'config_version' | 'status_id' | 'status'
>;

export const versionedStatusOf = (row: CurrentVersions): VersionedStatus => ({
  cluster: { version: row.cluster_version, runtimeId: row.runtime_id },
  configuration: { version: row.config_version },
  status: { id: row.status_id, status: row.status },
});

/**
 * Adds a status to the current configuration of a cluster, and makes it the current one. The caller holds the lock of the
 * row in `runtimes`, or accepts that another status comes between.
 */
export async function appendStatus(
  queries: Queries,
  { runtime_id, cluster_version, config_version }: Omit<CurrentVersions, 'status_id' | 'status'>,
  status: ClusterStatus,
  changes: UpdateObject<Schema, 'runtimes'> = {},
): Promise<{ readonly id: number; readonly created: Date }> {
  return queries
    .with('added', (query) =>
      query
        .insertInto('cluster_statuses')
        .values({ runtime_id, cluster_version, config_version, status })
        .returning(['id', 'created']),
    )
    .updateTable('runtimes')
    .from('added')
    .set((of) => ({
      status_id: of.ref('added.id'),
      status,
      status_since: of.ref('added.created'),
      error_count: errorCountAfter(status),
      next_run_at: null,
      held: false,
      ...changes,
    }))
    .where('runtimes.runtime_id', '=', runtime_id)
    .returning(['added.id as id', 'added.created as created'])
    .executeTakeFirstOrThrow();
}

/** Errors since the last success; other statuses in between do not count. */
function errorCountAfter(status: ClusterStatus) {
  if (status === 'ready' || status === 'deleted') return sql<number>`0`;
  const isError = status.includes('error');
  return isError ? sql<number>`runtimes.error_count + 1` : sql<number>`runtimes.error_count`;
}
