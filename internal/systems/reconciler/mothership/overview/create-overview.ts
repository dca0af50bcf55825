import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import type { Overview } from '../model/overview.ts';
import { clusterCounts, stateOf } from './cluster-counts.ts';
import { componentLoad } from './component-load.ts';
import { failureGroups } from './failure-groups.ts';
import { historyOf } from './history.ts';

/** Entries of a list. */
const LIMIT = 200;

export function createOverview({ queries }: Pick<Store, 'queries'>): Overview {
  return {
    counts: () => clusterCounts(queries),
    running: async () => {
      const rows = await queries
        .selectFrom('operations')
        .select([
          'runtime_id',
          'scheduling_id',
          'correlation_id',
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
      return { count: Number(rows[0]?.count ?? 0), operations: rows };
    },
    failures: () => failureGroups(queries),
    history: (window) => historyOf(queries, window),
    load: () => componentLoad(queries),
    state: () => stateOf(queries),
  };
}
