import { sql } from 'kysely';
import { isStorable, type Queries } from '../database/database.ts';
import { FAILED } from '../model/cluster-status.ts';
import type { ClusterGroup, ClusterPage, ClusterSelection, ListedCluster } from '../model/inventory.ts';

/** SQL: what an operator has to do about a cluster. The groups are disjoint. */
export const groupOf = sql<ClusterGroup>`case
  when r.held then 'held'
  when r.status = 'reconcile_disabled' then 'disabled'
  when r.last_failed or r.status in (${sql.join(FAILED.map((status) => sql.lit(status)))}) then 'failing'
  when r.status = 'ready' then 'ready'
  else 'working'
end`;

/** The order of groups by what needs attention. */
const ATTENTION: readonly ClusterGroup[] = ['failing', 'held', 'working', 'disabled', 'ready'];

const attention = sql`array_position(${sql.lit(`{${ATTENTION.join(',')}}`)}::text[], (${groupOf})::text)`;

/** For a text that a column contains: its wildcards are plain characters. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** A page of the registered clusters. */
export async function listClusters(queries: Queries, selection: ClusterSelection): Promise<ClusterPage> {
  const { statuses, kymaVersions, prefix, after, limit, cluster, search, group, component, offset } =
    selection;
  const texts = [prefix, after, cluster, search, component, ...(kymaVersions ?? [])];
  if (!texts.every((text) => text === undefined || isStorable(text))) return { clusters: [], total: 0 };
  const conditions = [
    statuses && sql`r.status = any(${statuses}::text[])`,
    kymaVersions && sql`r.kyma_version = any(${kymaVersions}::text[])`,
    prefix !== undefined && sql`starts_with(r.runtime_id, ${prefix})`,
    cluster !== undefined && sql`(r.runtime_id = ${cluster} or r.runtime_name = ${cluster})`,
    component !== undefined && sql`r.components ? ${component}`,
    group !== undefined && sql`${groupOf} = ${group}`,
    search !== undefined &&
      sql`(r.runtime_id || ' ' || r.runtime_name || ' ' || r.global_account_id || ' ' || coalesce(c.metadata->>'shootName', ''))
        ilike ${containing(search)}`,
  ].filter((each) => each !== undefined && each !== false);
  const where = (...more: readonly (typeof conditions)[number][]) => {
    const all = [...conditions, ...more];
    return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
  };
  // Only a text is looked for in registrations too: else they are read for the clusters of the page alone.
  const from =
    search === undefined
      ? sql`from runtimes r`
      : sql`from runtimes r left join clusters c on c.version = r.cluster_version`;
  const order =
    offset === undefined
      ? sql`order by r.runtime_id limit ${limit}`
      : sql`order by ${attention}, r.error_count desc, r.runtime_name, r.runtime_id limit ${limit} offset ${offset}`;
  const listed = sql<Omit<ListedCluster, 'nextRun'> & { readonly nextRun: Date | null }>`
    select r.runtime_id as "runtimeId", r.runtime_name as "runtimeName", r.global_account_id as "globalAccountId",
      r.plan_name as "planName", r.kyma_version as "kymaVersion", r.config_version as "configVersion", r.status,
      r.status_since as "statusSince", r.error_count as errors, r.next_run_at as "nextRun", r.held,
      ${groupOf} as "group", r.failed_components as "failedComponents",
      coalesce((select k.metadata->>'shootName' from clusters k where k.version = r.cluster_version), '') as "shootName"
    ${from} ${where(...(after === undefined ? [] : [sql`r.runtime_id > ${after}`]))} ${order}
  `.execute(queries);
  const counted =
    offset === undefined
      ? undefined
      : sql<{ total: number }>`select count(*)::int as total ${from} ${where()}`.execute(queries);
  const [{ rows }, totals] = await Promise.all([listed, counted]);
  const clusters = rows.map((row) => ({ ...row, nextRun: row.nextRun ?? undefined }));
  return totals === undefined ? { clusters } : { clusters, total: totals.rows[0]?.total ?? 0 };
}
