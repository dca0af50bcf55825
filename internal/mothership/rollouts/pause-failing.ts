import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from '../../base/telemetry/logger.ts';
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

/** Pauses the rollouts of those that fail on many clusters. */
export async function pauseFailingRollouts(
  queries: Queries,
  suspects: readonly Suspect[],
  { settings, log }: RolloutContext,
): Promise<void> {
  for (const suspect of suspects) {
    const found = await resultsOf(queries, suspect);
    const percent = (100 * found.failed) / Math.max(found.clusters, 1);
    const { minClusters, maxFailedPercent } = settings.rollouts;
    if (found.clusters < minClusters || percent <= maxFailedPercent) continue;
    const reason = `${found.failed} of ${found.clusters} clusters with a result in the last hour failed`;
    const added = await queries
      .insertInto('rollouts')
      .values({
        id: randomUUID(),
        ...suspect,
        reason,
        clusters: found.clusters,
        failed_clusters: found.failed,
        resumed_at: null,
        resumed_by: null,
      })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'name']).where('resumed_at', 'is', null).doNothing(),
      )
      .returning('id')
      .executeTakeFirst();
    if (added) log.error('rollout paused', { ...suspect, reason });
  }
}

/** Clusters with this version or component whose last result is of the last hour, and after the last resume. */
async function resultsOf(
  queries: Queries,
  { kind, name }: Suspect,
): Promise<{ readonly clusters: number; readonly failed: number }> {
  const matches = kind === 'version' ? sql`kyma_version = ${name}` : sql`components ? ${name}`;
  const isFailed = kind === 'version' ? sql`last_failed` : sql`failed_components ? ${name}`;
  const { rows } = await sql<{ clusters: number; failed: number }>`
    select count(*)::int as clusters, (count(*) filter (where ${isFailed}))::int as failed
    from runtimes
    where ${matches} and last_result_at > greatest(
      now() - interval '1 hour',
      (select max(resumed_at) from rollouts where kind = ${kind} and name = ${name})
    )
  `.execute(queries);
  return rows[0] ?? { clusters: 0, failed: 0 };
}
