import { randomUUID } from 'node:crypto';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Logger } from '../../base/telemetry/logger.ts';
import type { RuntimesTable } from '../database/schema/inventory-tables.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { RolloutSettings } from '../model/settings.ts';

interface FailedRun {
  readonly runtime: Selectable<RuntimesTable>;
  readonly operations: readonly { readonly component: string; readonly state: string }[];
  readonly context: {
    readonly settings: { readonly rollouts: RolloutSettings };
    readonly log: Logger;
  };
}

/** Pauses the rollout of the version of this run, and of the components that failed in it, if they fail on many clusters. */
export async function pauseFailingRollouts(
  tx: Transaction<Schema>,
  { runtime, operations, context: { settings, log } }: FailedRun,
): Promise<void> {
  const failed = operations.filter(({ state }) => state === 'error').map(({ component }) => component);
  const suspects = [
    { kind: 'version' as const, name: runtime.kyma_version },
    ...failed.map((name) => ({ kind: 'component' as const, name })),
  ];
  for (const suspect of suspects) {
    const found = await resultsOf(tx, suspect);
    const percent = (100 * found.failed) / Math.max(found.clusters, 1);
    const { minClusters, maxFailedPercent } = settings.rollouts;
    if (found.clusters < minClusters || percent <= maxFailedPercent) continue;
    const reason = `${found.failed} of ${found.clusters} clusters with a result in the last hour failed`;
    const added = await tx
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
  tx: Transaction<Schema>,
  { kind, name }: { readonly kind: 'version' | 'component'; readonly name: string },
): Promise<{ readonly clusters: number; readonly failed: number }> {
  const matches = kind === 'version' ? sql`kyma_version = ${name}` : sql`components ? ${name}`;
  const isFailed = kind === 'version' ? sql`last_failed` : sql`failed_components ? ${name}`;
  const { rows } = await sql<{ clusters: number; failed: number }>`
    select count(*)::int as clusters, (count(*) filter (where ${isFailed}))::int as failed
    from runtimes
    where ${matches} and last_result_at > greatest(
      clock_timestamp() - interval '1 hour',
      (select max(resumed_at) from rollouts where kind = ${kind} and name = ${name})
    )
  `.execute(tx);
  return rows[0] ?? { clusters: 0, failed: 0 };
}
