import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import { groupOf } from '../inventory/list-clusters.ts';
import type { ClusterGroup } from '../model/inventory.ts';
import type { ComponentCount, Overview, RunningOperation } from '../model/overview.ts';
import { componentLoad } from './component-load.ts';
import { failureGroups } from './failure-groups.ts';
import { historyOf } from './history.ts';

/** Entries of a list. */
const LIMIT = 200;

export function createOverview({ queries }: Pick<Store, 'queries'>): Overview {
  return {
    statuses: () =>
      queries
        .selectFrom('runtimes')
        .select((of) => ['status', of.fn.countAll<number>().as('clusters')])
        .groupBy('status')
        .orderBy('status')
        .execute(),
    groups: async () => {
      const { rows } = await sql<{ group: ClusterGroup; clusters: number }>`
        select ${groupOf} as "group", count(*)::int as clusters from runtimes r group by 1 order by 1
      `.execute(queries);
      return rows;
    },
    components: async () => {
      const { rows } = await sql<ComponentCount>`
        select component, count(*)::int as clusters,
          (count(*) filter (where last_failed and failed_components ? component))::int as "failedClusters"
        from runtimes, jsonb_array_elements_text(components) as component
        group by 1 order by "failedClusters" desc, clusters desc, 1 limit ${sql.lit(LIMIT)}
      `.execute(queries);
      return rows;
    },
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
        // An attempt that failed is among the failures until the next one.
        .where('state', '=', 'in_progress')
        .orderBy('since')
        .limit(LIMIT)
        .execute();
      const operations = rows.map(
        ({ count: _, reason, ...row }): RunningOperation => ({ ...row, reason: reason ?? undefined }),
      );
      return { count: Number(rows[0]?.count ?? 0), operations };
    },
    failures: () => failureGroups(queries),
    history: (window) => historyOf(queries, window),
    load: () => componentLoad(queries),
  };
}
