import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import { PENDING, PERIODIC } from '../model/cluster-status.ts';
import type { FailureGroup, Overview, RunningOperation } from '../model/overview.ts';

/** Entries of a list. */
const LIMIT = 200;
/** Failed clusters whose reasons are compared: the newest. */
const MAX_FAILED = 2000;
const MAX_NAMED = 10;

export function createOverview({ queries }: Pick<Store, 'queries'>): Overview {
  return {
    statuses: () =>
      queries
        .selectFrom('runtimes')
        .select((of) => ['status', of.fn.countAll<number>().as('clusters')])
        .groupBy('status')
        .orderBy('status')
        .execute(),
    versions: () =>
      queries
        .selectFrom('runtimes')
        .select((of) => [
          'kyma_version as kymaVersion',
          of.fn.countAll<number>().as('clusters'),
          of.fn.countAll<number>().filterWhere('last_failed', '=', true).as('failedClusters'),
        ])
        .groupBy('kyma_version')
        .orderBy('clusters', 'desc')
        .orderBy('kyma_version')
        .limit(LIMIT)
        .execute(),
    running: async () => {
      const rows = await queries
        .selectFrom('operations')
        .select([
          'runtime_id as runtimeId',
          'scheduling_id as schedulingId',
          'correlation_id as correlationId',
          'component',
          'type',
          'state',
          'reason',
          'attempts',
          'retries',
          'progress',
          sql<Date>`coalesce(picked_up, created)`.as('since'),
          sql<number>`count(*) over ()`.as('count'),
        ])
        .where('state', 'in', ['in_progress', 'failed'])
        .orderBy('since')
        .limit(LIMIT)
        .execute();
      const operations = rows.map(
        ({ count: _, reason, ...row }): RunningOperation => ({ ...row, reason: reason ?? undefined }),
      );
      return { count: Number(rows[0]?.count ?? 0), operations };
    },
    failures: async () => {
      const { rows } = await sql<Omit<FailureGroup, 'nextRun'> & { readonly nextRun: Date | null }>`
        select o.component, r.kyma_version as "kymaVersion", coalesce(o.reason, '') as reason,
          count(*)::int as clusters,
          (array_agg(r.runtime_id order by r.runtime_id))[1:${sql.lit(MAX_NAMED)}] as "runtimeIds",
          min(case when r.status in (${sql.join([...PERIODIC, ...PENDING])})
            then coalesce(r.next_run_at, clock_timestamp()) end) as "nextRun"
        from (
          select runtime_id, kyma_version, status, next_run_at from runtimes
          where last_failed order by last_result_at desc nulls last limit ${sql.lit(MAX_FAILED)}
        ) r
        cross join lateral (
          select scheduling_id from reconciliations
          where runtime_id = r.runtime_id and finished order by created desc limit 1
        ) run
        join operations o on o.scheduling_id = run.scheduling_id and o.state = 'error'
        group by 1, 2, 3
        order by clusters desc, 1, 2, 3
        limit ${sql.lit(LIMIT)}
      `.execute(queries);
      return rows.map((row) => ({ ...row, nextRun: row.nextRun ?? undefined }));
    },
  };
}
