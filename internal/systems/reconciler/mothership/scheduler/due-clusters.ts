import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { PendingCause } from '../database/schema/inventory-tables.ts';
import type { Store } from '../database/store.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';

/** A cluster whose run may start now. */
export interface DueCluster {
  readonly runtime_id: string;
  readonly tenant: string;
  readonly cluster_version: number;
  readonly config_version: number;
  readonly status_id: number;
  readonly status: ClusterStatus;
  readonly kyma_version: string;
  /** Names of the components. */
  readonly components: readonly string[];
  /** Of a row of an earlier version, which may lack the names: the encrypted list. */
  readonly sealed: string | null;
  readonly sealed_key: string | null;
  readonly rank: number;
}

/** Places in the queue of operations: new and deleted clusters come before upgrades, retries and periodic runs. */
const RANKS = {
  registration: 0,
  deletion: 0,
  upgrade: 1,
  operator: 1,
} as const satisfies Record<PendingCause, number>;
const RETRY_RANK = 2;
const PERIODIC_RANK = 3;

/** SQL: a paused rollout holds the cluster back. */
const isHeld = sql<boolean>`(
  (r.status = 'ready' or (r.status = 'reconcile_pending' and r.pending_cause = 'upgrade')) and exists (
    select 1 from rollouts p where p.resumed_at is null
      and (p.kind = 'version' and p.name = r.kyma_version or p.kind = 'component' and r.components ? p.name)
      and p.tenant in ('', r.tenant)
  )
)`;

const isPending = sql`r.status in ('reconcile_pending', 'delete_pending')`;

const isPeriodic = (intervalMs: number) => sql`
  r.status in ('ready', 'reconcile_error_retryable', 'delete_error_retryable')
    and (r.next_run_at <= now() or r.next_run_at is null)
    and r.status_since <= now() - ${intervalMs}::float8 * interval '1 ms'`;

/**
 * Marks the due clusters that paused rollouts hold back, so that further rounds do not read them. The rows of the rollouts are
 * locked: one that is resumed at this moment waits, and releases the clusters then.
 */
export async function holdClusters(store: Store, intervalMs: number): Promise<void> {
  const paused = await sql`select 1 from rollouts where resumed_at is null limit 1`.execute(store.queries);
  if (paused.rows.length === 0) return;
  await store.transaction(async (tx) => {
    await sql`select 1 from rollouts where resumed_at is null for share`.execute(tx);
    for (const isDue of [isPending, isPeriodic(intervalMs)]) {
      await sql`
        update runtimes set held = true where runtime_id in (
          select r.runtime_id from runtimes r where ${isDue} and not r.held and ${isHeld} for update skip locked
        )
      `.execute(tx);
    }
  });
}

const hasRun = sql`exists (select 1 from reconciliations x where x.runtime_id = r.runtime_id and not x.finished)`;

const rank = sql.join(
  Object.entries(RANKS).map(
    ([cause, place]) => sql`when r.pending_cause = ${sql.lit(cause)} then ${sql.lit(place)}`,
  ),
  sql` `,
);

/**
 * Clusters that may start now, in the order of their ranks: pending ones, and those whose last result is old enough.
 *
 * @param options.excluded clusters whose start failed just now, or whose row is locked
 * @param options.deferred tenants that have to wait for others
 */
export async function dueClusters(
  queries: Queries,
  options: {
    readonly intervalMs: number;
    readonly limit: number;
    readonly excluded: readonly string[];
    readonly deferred: readonly string[];
  },
): Promise<DueCluster[]> {
  const { intervalMs, limit, excluded, deferred } = options;
  const mayStart = sql`not r.held and not ${hasRun} and not ${isHeld} and r.runtime_id <> all(${excluded}::text[])
    and r.tenant <> all(${deferred}::text[])`;
  const { rows } = await sql<DueCluster>`
    with due as (
      (
        select r.*, case ${rank} else 1 end as rank from runtimes r
        where ${isPending} and ${mayStart}
        order by r.status_since limit ${limit}
      ) union all (
        select r.*, case when r.status = 'ready' then ${sql.lit(PERIODIC_RANK)} else ${sql.lit(RETRY_RANK)} end as rank
        from runtimes r
        where ${isPeriodic(intervalMs)} and ${mayStart}
        order by r.next_run_at limit ${limit}
      )
    )
    select due.runtime_id, due.tenant, due.cluster_version, due.config_version, due.status_id, due.status, due.kyma_version,
      due.rank, due.components, k.components as sealed, k.components_key as sealed_key
    from due left join cluster_configs k on k.version = due.config_version and due.components = '[]'
    order by due.rank, due.status_since limit ${limit}
  `.execute(queries);
  return rows;
}

/** Time until the next periodic run, in ms; undefined if there is none. */
export async function nextDueMs(queries: Queries): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(next_run_at) - clock_timestamp()) * 1000)::float8 as ms from runtimes
    where status in ('ready', 'reconcile_error_retryable', 'delete_error_retryable') and not held
      and next_run_at > now()
  `.execute(queries);
  return rows[0]?.ms ?? undefined;
}
