import { type Selectable, sql } from 'kysely';
import { notify, type Store, storable } from '../database/database.ts';
import type { RolloutsTable } from '../database/schema.ts';
import type { Rollout, Rollouts } from '../model/mothership.ts';
import { RefusedError } from '../model/refused-error.ts';

/** Rollouts of a list. */
const LIMIT = 1000;

type Row = Selectable<RolloutsTable> & { readonly held: number };

export function createRollouts(store: Store): Rollouts {
  return {
    list: async () => {
      const { rows } = await sql<Row>`
        select p.*, case when p.resumed_at is null then (
          select count(*)::int from runtimes r
          where (p.kind = 'version' and p.name = r.kyma_version or p.kind = 'component' and r.components ? p.name)
            and p.tenant in ('', r.tenant)
            and (r.status = 'ready' and r.next_run_at <= now()
              or r.status = 'reconcile_pending' and r.pending_cause = 'upgrade')
        ) else 0 end as held
        from rollouts p order by p.resumed_at desc nulls first, p.paused_at desc limit ${LIMIT}
      `.execute(store.queries);
      return rows.map(rolloutOf);
    },
    pausedCounts: async () => {
      const rows = await store.queries
        .selectFrom('rollouts')
        .select(['kind', sql<number>`count(*)::int`.as('count')])
        .where('resumed_at', 'is', null)
        .groupBy('kind')
        .execute();
      const countOf = (kind: Rollout['kind']) => rows.find((row) => row.kind === kind)?.count ?? 0;
      return { version: countOf('version'), component: countOf('component') };
    },
    resume: async (id, user) =>
      store.transaction(async (tx) => {
        const row = await tx
          .updateTable('rollouts')
          .set({ resumed_at: sql<Date>`clock_timestamp()`, resumed_by: storable(user) })
          .where('id', '=', storable(id))
          .where('resumed_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (row) {
          await tx.updateTable('runtimes').set({ held: false }).where('held', '=', true).execute();
          await notify(tx, 'mothership_clusters', '');
          return rolloutOf({ ...row, held: 0 });
        }
        const known = await tx
          .selectFrom('rollouts')
          .select('id')
          .where('id', '=', storable(id))
          .executeTakeFirst();
        if (known) throw new RefusedError('final', 'cannot resume the rollout: it is not paused');
        throw new RefusedError('not-found', 'cannot find the rollout');
      }),
  };
}

function rolloutOf(row: Row): Rollout {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    reason: row.reason,
    clusters: row.clusters,
    failedClusters: row.failed_clusters,
    heldClusters: row.held,
    pausedAt: row.paused_at,
    resumedAt: row.resumed_at ?? undefined,
    resumedBy: row.resumed_by ?? undefined,
  };
}
