import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import type { Overview } from '../model/overview.ts';
import { clusterCounts, stateOf } from './cluster-counts.ts';
import { componentLoad } from './component-load.ts';
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
