import { type RawBuilder, sql } from 'kysely';
import type { Queries, Store } from './database/database.ts';
import { groupOf } from './inventory/create-inventory.ts';
import { PENDING } from './model/cluster.ts';
import type {
  ClusterCounts,
  ComponentLoad,
  FailureGroup,
  HistoryBucket,
  HistoryWindow,
  Overview,
} from './model/overview.ts';

/** Operations of a list: what does not fit on a page is counted, and so it stays small. */
const LIMIT = 100;

export function createOverview({ queries }: Pick<Store, 'queries'>): Overview {
  return {
    counts: () => clusterCounts(queries),
    running: async () => {
      const rows = await queries
        .selectFrom('operations as o')
        .leftJoin('runtimes as r', 'r.runtime_id', 'o.runtime_id')
        .select([
          'o.runtime_id',
          'o.scheduling_id',
          'o.correlation_id',
          'o.component',
          'o.type',
          'o.state',
          'o.reason',
          'o.attempts',
          'o.retries',
          'o.progress',
          sql<string>`coalesce(r.runtime_name, '')`.as('runtimeName'),
          sql<Date>`coalesce(o.picked_up, o.created)`.as('since'),
          sql<number>`count(*) over ()`.as('count'),
        ])
        // An attempt that failed is among the failures until the next one.
        .where('o.state', '=', 'in_progress')
        .orderBy('since')
        .orderBy('o.runtime_id')
        .orderBy('o.component')
        .limit(LIMIT)
        .execute();
      return { count: Number(rows[0]?.count ?? 0), operations: rows };
    },
    failures: () => failureGroups(queries),
    history: (window) => historyOf(queries, window),
    load: () => componentLoad(queries),
    state: () => stateOf(queries),
  };
}

const MAX_COMPONENTS = 200;
/** Operations of a component whose time is observed: the last ones. */
const OBSERVED = 200;

type LoadRow = { readonly [K in keyof ComponentLoad]: Exclude<ComponentLoad[K], undefined> | null };

/** By component; component reconcilers that report their workers, and components that have work or had some. */
async function componentLoad(queries: Queries): Promise<ComponentLoad[]> {
  const { rows } = await sql<LoadRow & { readonly component: string }>`
    with work as (
      select component,
        (count(*) filter (where released and state in ('new', 'orphan', 'client_error')))::int as waiting,
        (count(*) filter (where state in ('in_progress', 'failed')))::int as running
      from operations where not finished and state not in ('done', 'error') group by 1
    ), pools as (
      select component, sum(worker_pool_capacity)::int as workers, sum(running_workers)::int as busy
      from worker_pool_occupancy group by 1
    ), names as (
      select component from work union select component from pools
      union select distinct component
        from (select distinct components from runtimes) s, jsonb_array_elements_text(components) as component
    )
    select n.component, coalesce(w.waiting, 0) as waiting, coalesce(w.running, 0) as running,
      t.p50 as "p50Ms", t.p95 as "p95Ms", p.workers, p.busy as "busyWorkers"
    from (select component from names order by 1 limit ${sql.lit(MAX_COMPONENTS)}) n
      left join work w using (component) left join pools p using (component)
      cross join lateral (
        select percentile_cont(0.5) within group (order by processing_duration) as p50,
          percentile_cont(0.95) within group (order by processing_duration) as p95
        from (
          select processing_duration from operations o
          where o.component = n.component and o.state in ('done', 'error') order by updated desc limit ${sql.lit(OBSERVED)}
        ) last
      ) t
    order by waiting desc, running desc, 1
  `.execute(queries);
  return rows.map((row) => ({
    ...row,
    waiting: row.waiting ?? 0,
    running: row.running ?? 0,
    p50Ms: row.p50Ms ?? undefined,
    p95Ms: row.p95Ms ?? undefined,
    workers: row.workers ?? undefined,
    busyWorkers: row.busyWorkers ?? undefined,
  }));
}

/**
 * Clusters are read once: those that agree in all that is counted are one row, so that lists of components are opened for each
 * of these rows, and not for each cluster.
 */
async function clusterCounts(queries: Queries): Promise<ClusterCounts> {
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
      from alike group by 1 order by clusters desc, 1 limit ${sql.lit(MAX_GROUPS)}
    ), components as (
      select component, sum(clusters)::int as clusters,
        coalesce(sum(clusters) filter (where last_failed and failed_components ? component), 0)::int as "failedClusters"
      from alike, jsonb_array_elements_text(components) as component
      group by 1 order by "failedClusters" desc, clusters desc, 1 limit ${sql.lit(MAX_GROUPS)}
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
async function stateOf(queries: Queries): Promise<string> {
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

/** Failed clusters whose reasons are compared: the newest. */
const MAX_FAILED = 2000;
/** Failed operations that are compared, and characters of each reason: component reconcilers, and charts of others, choose both. */
const MAX_OPERATIONS = 4000;
const MAX_REASON = 1024;
/** Groups of a list, and clusters that each names. */
const MAX_GROUPS = 200;
const MAX_NAMED = 50;

/** Clusters with the same component, version and reason, before reasons are folded. */
interface FailedOperation extends Omit<FailureGroup, 'since' | 'nextRun'> {
  readonly since: Date | null;
  readonly nextRun: Date | null;
}

const retried = sql.join([...PENDING, 'ready', 'reconcile_error_retryable', 'delete_error_retryable']);

/** What failed in the last runs, and the attempts that fail now: those of a run in progress count in place of those of the run before. */
async function failureGroups(queries: Queries): Promise<FailureGroup[]> {
  const { rows } = await sql<FailedOperation>`
    with current as (
      select r.runtime_id, r.runtime_name, r.kyma_version, o.component, left(o.reason, ${sql.lit(MAX_REASON)}) as reason, true as retrying,
        x.created as since, o.next_attempt_at as next_run
      from operations o join reconciliations x on x.scheduling_id = o.scheduling_id
        join runtimes r on r.runtime_id = o.runtime_id
      where o.state in ('failed', 'client_error') and o.reason is not null and not o.finished
      limit ${sql.lit(MAX_FAILED)}
    ), past as (
      select r.runtime_id, r.runtime_name, r.kyma_version, o.component,
        coalesce(left(o.reason, ${sql.lit(MAX_REASON)}), '') as reason, false as retrying,
        first.since, case when r.status in (${retried}) then coalesce(r.next_run_at, clock_timestamp()) end as next_run
      from (
        select runtime_id, runtime_name, kyma_version, status, next_run_at from runtimes
        where last_failed order by last_result_at desc nulls last limit ${sql.lit(MAX_FAILED)}
      ) r
      cross join lateral (
        select scheduling_id from reconciliations
        where runtime_id = r.runtime_id and finished order by created desc limit 1
      ) run
      cross join lateral (
        select min(created) as since from reconciliations
        where runtime_id = r.runtime_id and finished and created > coalesce(
          (select max(created) from reconciliations where runtime_id = r.runtime_id and status = 'ready'), '-infinity')
      ) first
      join operations o on o.scheduling_id = run.scheduling_id and o.state = 'error'
      where not exists (select 1 from current c where c.runtime_id = r.runtime_id and c.component = o.component)
      limit ${sql.lit(MAX_OPERATIONS)}
    ), failing as (select * from current union all select * from past)
    select component, kyma_version as "kymaVersion", reason, count(*)::int as clusters,
      (count(*) filter (where retrying))::int as retrying,
      (jsonb_agg(jsonb_build_object('runtimeId', runtime_id, 'runtimeName', runtime_name) order by runtime_name, runtime_id)) as named,
      min(since) as since, min(next_run) as "nextRun"
    from failing group by 1, 2, 3
  `.execute(queries);
  const groups = new Map<string, FailedOperation>();
  for (const row of rows.toSorted((one, other) => other.clusters - one.clusters)) {
    const key = JSON.stringify([row.component, row.kymaVersion, foldedReason(row.reason)]);
    const known = groups.get(key);
    groups.set(key, known === undefined ? row : joined(known, row));
  }
  return [...groups.values()]
    .sort((one, other) => other.clusters - one.clusters || (one.component < other.component ? -1 : 1))
    .slice(0, MAX_GROUPS)
    .map((row) => ({
      ...row,
      named: row.named.slice(0, MAX_NAMED),
      since: row.since ?? undefined,
      nextRun: row.nextRun ?? undefined,
    }));
}

const joined = (one: FailedOperation, other: FailedOperation): FailedOperation => ({
  ...one,
  clusters: one.clusters + other.clusters,
  retrying: one.retrying + other.retrying,
  named: [...one.named, ...other.named],
  since: earlier(one.since, other.since),
  nextRun: earlier(one.nextRun, other.nextRun),
});

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Ids, hashes and addresses, which differ from cluster to cluster. */
const VARIABLE =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|https?:\/\/[^\s"',;)]+|\b[0-9a-f]{12,64}\b|\d+/gi;

/** The number of an attempt, or of several with the same reason. */
const ATTEMPTS = /^(?:#\d+(?:-#\d+)?: )/;

/** What reasons of one cause have in common: without what differs in numbers, ids and addresses. */
export const foldedReason = (reason: string): string =>
  reason
    .replace(ATTEMPTS, '')
    .replace(VARIABLE, '…')
    .replace(/\u2026(?:[.:]\u2026)+/g, '…')
    .trim();

/** Intervals of a window, in s, and how many there are. */
const INTERVALS: Readonly<Record<HistoryWindow, { readonly seconds: number; readonly count: number }>> = {
  hour: { seconds: 60, count: 60 },
  day: { seconds: 900, count: 96 },
  week: { seconds: 7200, count: 84 },
};

/**
 * Runs that ended, by intervals, the oldest first; those without a run too. Runs are counted before intervals are joined;
 * `extract`, whose numbers are exact, takes several times as long as `date_part`.
 */
async function historyOf(queries: Queries, window: HistoryWindow): Promise<HistoryBucket[]> {
  const { seconds, count } = INTERVALS[window];
  const slotOf = (time: RawBuilder<Date>) =>
    sql`floor(date_part('epoch', ${time}) / ${sql.lit(seconds)})::bigint`;
  const now = slotOf(sql<Date>`now()`);
  const { rows } = await sql<HistoryRow>`
    with ended as (
      select ${slotOf(sql.ref<Date>('finished_at'))} as slot, status, date_part('epoch', finished_at - created) * 1000 as ms
      from reconciliations
      where finished and finished_at > now() - ${sql.lit(seconds * count)} * interval '1 s'
    ), counted as (
      select slot, count(*) filter (where status = 'ready') as ready, count(*) filter (where status = 'deleted') as deleted,
        count(*) filter (where status not in ('ready', 'deleted')) as failed,
        percentile_cont(array[0.5, 0.95]) within group (order by ms) filter (where status = 'ready') as times
      from ended group by slot
    )
    select to_timestamp(slot * ${sql.lit(seconds)}) as start, coalesce(ready, 0)::int as ready,
      coalesce(deleted, 0)::int as deleted, coalesce(failed, 0)::int as failed, times
    from generate_series(${now} - ${sql.lit(count - 1)}, ${now}) as s (slot) left join counted using (slot)
    order by slot
  `.execute(queries);
  return rows.map(({ times, ...row }) => ({ ...row, p50Ms: times?.[0], p95Ms: times?.[1] }));
}

interface HistoryRow extends Omit<HistoryBucket, 'p50Ms' | 'p95Ms'> {
  readonly times: readonly number[] | null;
}
