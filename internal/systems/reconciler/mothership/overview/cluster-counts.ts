import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { groupOf } from '../inventory/list-clusters.ts';
import type { ClusterCounts } from '../model/overview.ts';

/** Entries of a list. */
const LIMIT = sql.lit(200);

/**
 * Clusters are read once: those that agree in all that is counted are one row, so that lists of components are opened for each
 * of these rows, and not for each cluster.
 */
export async function clusterCounts(queries: Queries): Promise<ClusterCounts> {
  const { rows } = await sql<ClusterCounts>`
    with alike as materialized (
      select status, ${groupOf} as "group", kyma_version, last_failed, components, failed_components, count(*) as clusters
      from runtimes r group by 1, 2, 3, 4, 5, 6
    ), statuses as (
      select status, sum(clusters)::int as clusters from alike group by 1 order by 1
    ), groups as (
      select "group", sum(clusters)::int as clusters from alike group by 1 order by 1
    ), versions as (
      select kyma_version as "kymaVersion", sum(clusters)::int as clusters,
        coalesce(sum(clusters) filter (where last_failed), 0)::int as "failedClusters"
      from alike group by 1 order by clusters desc, 1 limit ${LIMIT}
    ), components as (
      select component, sum(clusters)::int as clusters,
        coalesce(sum(clusters) filter (where last_failed and failed_components ? component), 0)::int as "failedClusters"
      from alike, jsonb_array_elements_text(components) as component
      group by 1 order by "failedClusters" desc, clusters desc, 1 limit ${LIMIT}
    )
    select (select coalesce(jsonb_agg(s), '[]') from statuses s) as statuses,
      (select coalesce(jsonb_agg(g), '[]') from groups g) as groups,
      (select coalesce(jsonb_agg(v), '[]') from versions v) as versions,
      (select coalesce(jsonb_agg(c), '[]') from components c) as components
  `.execute(queries);
  return rows[0] ?? { statuses: [], groups: [], versions: [], components: [] };
}

/**
 * The transactions of the newest versions of rows, added up: each change makes rows of a newer one. Rows of operations that
 * have ended change no more.
 */
export async function stateOf(queries: Queries): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select concat_ws(' ',
      (select concat_ws(' ', count(*), sum(xmin::text::bigint)) from runtimes),
      (select concat_ws(' ', count(*), sum(xmin::text::bigint)) from operations
        where state in ('new', 'in_progress', 'failed', 'client_error', 'orphan') and not finished),
      (select concat_ws(' ', count(*), sum(xmin::text::bigint)) from rollouts),
      (select string_agg(concat_ws(' ', component, running_workers, worker_pool_capacity), ' ' order by worker_pool_id)
        from worker_pool_occupancy)
    ) as state
  `.execute(queries);
  return rows[0]?.state ?? '';
}
