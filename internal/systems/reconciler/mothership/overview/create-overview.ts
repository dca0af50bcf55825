import { sql } from 'kysely';
import type { Queries, Store } from '../database/database.ts';
import type { ComponentLoad, Overview } from '../model/overview.ts';
import { clusterCounts, stateOf } from './cluster-counts.ts';
import { failureGroups } from './failure-groups.ts';
import { historyOf } from './history.ts';

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

type Row = { readonly [K in keyof ComponentLoad]: Exclude<ComponentLoad[K], undefined> | null };

/** By component; component reconcilers that report their workers, and components that have work or had some. */
async function componentLoad(queries: Queries): Promise<ComponentLoad[]> {
  const { rows } = await sql<Row & { readonly component: string }>`
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
