import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Logger } from '../../../framework/base/index.ts';
import { notify, type Queries, type Store, storable } from './database/database.ts';
import type { RolloutsTable } from './database/schema.ts';
import type { Rollout, Rollouts } from './model/mothership.ts';
import { RefusedError } from './model/refused-error.ts';
import type { RolloutSettings } from './model/settings.ts';

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

/** A version or a component that failed on a cluster. */
interface Suspect {
  readonly kind: 'version' | 'component';
  readonly name: string;
}

interface RolloutContext {
  readonly settings: { readonly rollouts: RolloutSettings };
  readonly log: Logger;
}

/** The version and the components of a run that failed. */
export function suspectsOf(
  kymaVersion: string,
  operations: readonly { readonly component: string; readonly state: string }[],
): Suspect[] {
  const failed = operations.filter(({ state }) => state === 'error');
  return [
    { kind: 'version', name: kymaVersion },
    ...failed.map(({ component }) => ({ kind: 'component' as const, name: component })),
  ];
}

/** All that failed in the last hour: successes that come after the failures can complete the number of clusters. */
export async function recentSuspects(queries: Queries): Promise<Suspect[]> {
  const { rows } = await sql<Suspect>`
    with failed as (
      select kyma_version, failed_components from runtimes
      where last_failed and last_result_at > now() - interval '1 hour'
    )
    select distinct 'version' as kind, kyma_version as name from failed
    union all
    select distinct 'component', jsonb_array_elements_text(failed_components) from failed
  `.execute(queries);
  return rows;
}

/**
 * Pauses the rollouts of those that fail on many clusters: for all, if clusters of several tenants fail, and otherwise for the
 * tenant whose clusters fail.
 */
export async function pauseFailingRollouts(
  queries: Queries,
  suspects: readonly Suspect[],
  { settings, log }: RolloutContext,
): Promise<void> {
  for (const suspect of suspects) {
    const results = await resultsOf(queries, suspect);
    for (const { tenant, clusters, failed } of failingOf(results, settings.rollouts)) {
      const whose = tenant === '' ? '' : `, all of ${tenant}, for which alone it is paused`;
      const reason = `${failed} of ${clusters} clusters with a result in the last hour failed${whose}`;
      const added = await queries
        .insertInto('rollouts')
        .values({
          id: randomUUID(),
          ...suspect,
          tenant,
          reason,
          clusters,
          failed_clusters: failed,
          resumed_at: null,
          resumed_by: null,
        })
        .onConflict((conflict) =>
          conflict.columns(['kind', 'name', 'tenant']).where('resumed_at', 'is', null).doNothing(),
        )
        .returning('id')
        .executeTakeFirst();
      if (added) log.error('rollout paused', { ...suspect, reason });
    }
  }
}

/** Results of the clusters of a tenant. */
export interface TenantResults {
  readonly tenant: string;
  readonly clusters: number;
  readonly failed: number;
}

/**
 * Whose rollout is paused, by the results of each tenant; an empty tenant means all. So many votes of a tenant count as it has
 * clusters, up to a number that alone cannot pause the rollout of others.
 */
export function failingOf(
  results: readonly TenantResults[],
  { minClusters, maxFailedPercent }: RolloutSettings,
): TenantResults[] {
  const isFailing = ({ clusters, failed }: Pick<TenantResults, 'clusters' | 'failed'>) =>
    clusters >= minClusters && (100 * failed) / Math.max(clusters, 1) > maxFailedPercent;
  const maxVotes = Math.max(1, Math.floor((minClusters * maxFailedPercent) / 100));
  const sum = (field: 'clusters' | 'failed', of: readonly Pick<TenantResults, 'clusters' | 'failed'>[]) =>
    of.reduce((total, each) => total + each[field], 0);
  const votes = results.map(({ clusters, failed }) => {
    const weight = Math.min(1, maxVotes / Math.max(clusters, 1));
    return { clusters: clusters * weight, failed: failed * weight };
  });
  if (isFailing({ clusters: sum('clusters', votes), failed: sum('failed', votes) })) {
    return [{ tenant: '', clusters: sum('clusters', results), failed: sum('failed', results) }];
  }
  return results.filter(isFailing);
}

/** Clusters with this version or component whose last result is of the last hour, and after the last resume, by tenant. */
async function resultsOf(queries: Queries, { kind, name }: Suspect): Promise<TenantResults[]> {
  const matches = kind === 'version' ? sql`r.kyma_version = ${name}` : sql`r.components ? ${name}`;
  const isFailed = kind === 'version' ? sql`r.last_failed` : sql`r.failed_components ? ${name}`;
  const { rows } = await sql<TenantResults>`
    select r.tenant, count(*)::int as clusters, (count(*) filter (where ${isFailed}))::int as failed
    from runtimes r
    where ${matches} and r.last_result_at > now() - interval '1 hour' and not exists (
      select 1 from rollouts p where p.kind = ${kind} and p.name = ${name} and p.tenant in ('', r.tenant)
        and p.resumed_at >= r.last_result_at
    )
    group by r.tenant
  `.execute(queries);
  return rows;
}
