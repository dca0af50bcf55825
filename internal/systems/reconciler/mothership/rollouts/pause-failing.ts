import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from '../../../../framework/base/index.ts';

import type { Queries } from '../database/database.ts';
import type { RolloutSettings } from '../model/settings.ts';

/** A version or a component that failed on a cluster. */
export interface Suspect {
  readonly kind: 'version' | 'component';
  readonly name: string;
}

export interface RolloutContext {
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
