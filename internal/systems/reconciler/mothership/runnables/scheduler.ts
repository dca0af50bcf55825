/**
 * The scheduler: a round finds the clusters that are due, plans their operations, and stores their runs, whose first operations the worker
 * pools can claim then.
 */
import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { type Deps, inParallel, messageOf } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import { type PlannedOperation, planOperations, processable } from '../../operations/plan-operations.ts';
import { createBatcher } from '../database/create-batcher.ts';
import { type Database, type Queries, type Store, unread } from '../database/database.ts';
import { sqlState } from '../database/retry-transaction.ts';
import type { PendingCause, Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents } from '../inventory/cluster-states.ts';
import type { ClusterStatus } from '../model/cluster.ts';
import type { OperationType } from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';
import type { Settings } from '../model/settings.ts';
import { createEventLoop } from './event-loop.ts';

interface SchedulerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly settings: Pick<Settings, 'sequence' | 'maxParallel' | 'reconcileIntervalMs' | 'watchIntervalMs'>;
}

/** Clusters of one query, and those that are planned at the same moment. */
const BATCH = 50;
const WIDTH = 16;
/** The shortest delay before a periodic run, so that due times that are close to each other cost one query. */
const MIN_DELAY_MS = 100;

/** Time between rounds, in ms: a burst of registrations is planned in a few, and leaves time for the requests. */
const SPACING_MS = 100;

/** A round ends when it skipped so many clusters. The next one follows after a delay, in ms. */
const MAX_SKIPPED = 200;
const SKIPPED_DELAY_MS = 1000;

/** Starts the runs of clusters that are due: when a cluster changes, and when the time of a periodic run has come. */
export function createScheduler(options: SchedulerOptions): Runnable {
  const { database, settings } = options;
  const { runnable } = createEventLoop({
    ...options,
    name: 'scheduler',
    topics: ['mothership_clusters'],
    spacingMs: SPACING_MS,
    // A run that ends between two rounds is due after the interval at the earliest: the next round knows its time.
    intervalMs: Math.min(settings.watchIntervalMs, settings.reconcileIntervalMs || settings.watchIntervalMs),
    run: async (signal) => {
      const { skipped } = await startRound(options, signal);
      if (skipped > 0) return SKIPPED_DELAY_MS;
      const delayMs = await nextDueMs(database.queries);
      return delayMs === undefined ? undefined : Math.max(delayMs, MIN_DELAY_MS);
    },
  });
  return runnable;
}

/** Starts all runs that are due now. Returns their scheduling ids. */
export async function startDue(options: SchedulerOptions, signal: AbortSignal): Promise<string[]> {
  return (await startRound(options, signal)).started;
}

/** @returns `skipped`: clusters that changed meanwhile, or whose row another transaction has locked */
async function startRound(
  options: SchedulerOptions,
  signal: AbortSignal,
): Promise<{ readonly started: string[]; readonly skipped: number }> {
  const { database, settings, log } = options;
  const start = createBatcher({
    keyOf: ({ runtimeId }: StartInput) => runtimeId,
    run: (inputs) => startReconciliations(database, inputs),
  });
  const started: string[] = [];
  const excluded: string[] = [];
  /** Those that had a batch of their own: they wait for the clusters of others. */
  const deferred: string[] = [];
  let skipped = 0;
  await holdClusters(database, settings.reconcileIntervalMs);
  while (!signal.aborted) {
    const due = await dueClusters(database.queries, {
      intervalMs: settings.reconcileIntervalMs,
      limit: BATCH,
      excluded,
      deferred,
    });
    await inParallel(due, WIDTH, async (cluster) => {
      try {
        const schedulingId = await start(await plan(cluster, options));
        if (schedulingId !== undefined) {
          started.push(schedulingId);
          return;
        }
        excluded.push(cluster.runtime_id);
        skipped++;
      } catch (error) {
        excluded.push(cluster.runtime_id);
        if (error instanceof RefusedError && error.refusal === 'running') return;
        log.error('cannot start a reconciliation', {
          runtimeId: cluster.runtime_id,
          error: messageOf(error),
        });
      }
    });
    if (skipped >= MAX_SKIPPED) break;
    const [first] = due;
    if (due.length === BATCH && first !== undefined) {
      if (due.every(({ tenant }) => tenant === first.tenant)) deferred.push(first.tenant);
    } else if (deferred.length > 0) {
      // Nobody else waits any more: each of them has another batch.
      deferred.length = 0;
    } else break;
  }
  return { started, skipped };
}

async function plan(
  cluster: DueCluster,
  { keyring, settings }: Pick<SchedulerOptions, 'keyring' | 'settings'>,
): Promise<StartInput> {
  const { sequence, maxParallel } = settings;
  const type = cluster.status.startsWith('delete') ? 'delete' : 'reconcile';
  const components = componentNames(cluster, keyring);
  const operations = planOperations({
    components,
    type,
    preComponents: sequence.preComponents,
    deleteStrategy: sequence.deleteStrategy,
    skipped: await skippedOf(cluster.runtime_id, components, sequence),
  });
  return {
    runtimeId: cluster.runtime_id,
    clusterVersion: cluster.cluster_version,
    configVersion: cluster.config_version,
    statusId: cluster.status_id,
    kymaVersion: cluster.kyma_version,
    type,
    rank: cluster.rank,
    operations,
    maxParallel,
  };
}

function componentNames({ components, sealed, sealed_key }: DueCluster, keyring: Keyring): readonly string[] {
  if (sealed === null || sealed_key === null) return components;
  return decryptComponents({ components: sealed, components_key: sealed_key }, keyring).map(
    ({ component }) => component,
  );
}

async function skippedOf(
  runtimeId: string,
  components: readonly string[],
  { skippedComponents, isMigrated }: Settings['sequence'],
): Promise<ReadonlySet<string>> {
  const migrated = (await isMigrated?.(runtimeId, components)) ?? new Set<string>();
  const skipped = components.filter((name) =>
    skippedComponents.includes(name.toLowerCase().replaceAll('_', '-')),
  );
  return new Set([...migrated, ...skipped]);
}

/** A cluster whose run may start now. */
interface DueCluster {
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
async function holdClusters(store: Store, intervalMs: number): Promise<void> {
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

const rankByCause = sql.join(
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
        select r.*, case ${rankByCause} else 1 end as rank from runtimes r
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

/** A cluster as it was when its run was planned. */
export interface StartInput {
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly configVersion: number;
  readonly statusId: number;
  readonly kymaVersion: string;
  readonly type: OperationType;
  /** Place in the queue, small first. */
  readonly rank: number;
  readonly operations: readonly PlannedOperation[];
  readonly maxParallel: number;
}

/** SQLSTATE of a row that exists already. */
const UNIQUE_VIOLATION = '23505';

/**
 * Starts runs of clusters, all or none: they are `reconciling` or `deleting` then, and their first operations can be claimed.
 * Returns the scheduling ids; undefined for a cluster that has changed since, or that another process starts at this moment.
 *
 * @throws RefusedError `running` if one has a run that has not ended
 */
export async function startReconciliations(
  store: Store,
  inputs: readonly StartInput[],
): Promise<(string | undefined)[]> {
  try {
    return await store.transaction(async (tx) => {
      const statusIds = await beginStatuses(tx, inputs);
      const runs = inputs.flatMap((input) => {
        const statusId = statusIds.get(input.runtimeId);
        return statusId === undefined ? [] : [newRun(input, statusId)];
      });
      await addRuns(tx, runs);
      const ids = new Map(runs.map(({ row }) => [row.runtime_id, row.scheduling_id]));
      return inputs.map(({ runtimeId }) => ids.get(runtimeId));
    });
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION || inputs.length > 1) throw error;
    throw new RefusedError(
      'running',
      `cannot start: cluster ${inputs[0]?.runtimeId} has a reconciliation that runs`,
      { cause: error },
    );
  }
}

const statusOf = (type: OperationType): ClusterStatus => (type === 'delete' ? 'deleting' : 'reconciling');

/**
 * Adds the status to each cluster that still has the one that its run was planned for, and whose row nothing else has locked.
 * Returns the ids of the statuses by runtime id.
 */
async function beginStatuses(
  tx: Transaction<Schema>,
  inputs: readonly StartInput[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = inputs.map(({ runtimeId, statusId, type }) => ({
    runtimeId,
    statusId,
    status: statusOf(type),
  }));
  const { rows } = await sql<{ id: number; runtime_id: string }>`
    with locked as (
      select r.runtime_id, r.cluster_version, r.config_version, w.status
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("runtimeId" text, "statusId" bigint, status text)
      join runtimes r on r.runtime_id = w."runtimeId" and r.status_id = w."statusId"
      for update of r skip locked
    ), added as (
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status)
      select runtime_id, cluster_version, config_version, status from locked
      returning id, runtime_id, status, created
    )
    update runtimes r set status_id = added.id, status = added.status, status_since = added.created, next_run_at = null
    from added where r.runtime_id = added.runtime_id
    returning added.id, added.runtime_id
  `.execute(tx);
  return new Map(rows.map(({ id, runtime_id }) => [runtime_id, id]));
}

/** The rows of a run; the operations of the first group are released. */
function newRun(input: StartInput, statusId: number) {
  const { runtimeId, type, maxParallel } = input;
  const common = {
    scheduling_id: `${runtimeId}--${randomUUID()}`,
    runtime_id: runtimeId,
    cluster_version: input.clusterVersion,
    config_version: input.configVersion,
    type,
    rank: input.rank,
  };
  const planned = input.operations.map((operation) => ({ ...operation, state: 'new' as const, type }));
  const released = new Set(processable(planned, maxParallel));
  return {
    row: {
      ...common,
      config_status_id: statusId,
      kyma_version: input.kymaVersion,
      status: statusOf(type),
      max_parallel: maxParallel,
    },
    operations: planned.map((operation) => ({
      ...common,
      correlation_id: `${runtimeId}--${randomUUID()}`,
      component: operation.component,
      priority: operation.priority,
      state: operation.state,
      released: released.has(operation),
      retry_id: randomUUID(),
      parameters: operation.parameters ?? null,
    })),
  };
}

/** As one parameter for all rows: building statements with thousands of parameters costs more than running them. */
async function addRuns(tx: Transaction<Schema>, runs: readonly ReturnType<typeof newRun>[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`${unread}
    insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type, rank,
      kyma_version, status, max_parallel)
    select scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type, rank, kyma_version, status,
      max_parallel
    from jsonb_populate_recordset(null::reconciliations, ${JSON.stringify(runs.map(({ row }) => row))}::jsonb)
  `.execute(tx);
  const operations = runs.flatMap((run) => run.operations);
  await sql`${unread}
    with added as (
      insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type,
        tenant, rank, priority, state, released, retry_id, parameters)
      select scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type, tenant,
        ${rankInShare}, priority, state, released, retry_id, nullif(parameters, 'null')
      from (
        select o.*, coalesce(t.open, 0) + row_number() over (partition by r.tenant order by o.rank, o.priority) as place,
          r.tenant
        from jsonb_to_recordset(${JSON.stringify(operations)}::jsonb) as o(scheduling_id text, correlation_id text,
          runtime_id text, cluster_version bigint, config_version bigint, component text, type text, rank integer,
          priority integer, state text, released boolean, retry_id text, parameters jsonb)
        join runtimes r on r.runtime_id = o.runtime_id
        left join ${openByTenant(runs)} t on t.tenant = r.tenant
      ) planned
    ) select pg_notify('mothership_operations', '')
  `.execute(tx);
}

/** Operations of a tenant that have not ended and keep the rank of their run: those of some ten clusters. */
const SHARE = 200;
/** More ranks than causes of runs. */
const BEYOND = 10;

/**
 * The rank in the queue by the place among the open operations of the tenant: beyond its share all others go first, and the more so
 * the more there are. So a tenant with very many delays others by its share at most, whatever its clusters wait for.
 */
const rankInShare = sql`case when place <= ${sql.lit(SHARE)} then rank
  else ${sql.lit(BEYOND)} + ceil(log(2, place / ${sql.lit(SHARE)}.0))::int end`;

/** How many operations of the tenants of runs have not ended. */
const openByTenant = (runs: readonly ReturnType<typeof newRun>[]) => sql`(
  select o.tenant, count(*) as open from operations o
  where o.tenant in (
      select r.tenant from runtimes r where r.runtime_id = any(${runs.map(({ row }) => row.runtime_id)}::text[])
    )
    and o.state in ('new', 'in_progress', 'failed', 'client_error', 'orphan') and not o.finished
  group by o.tenant
)`;
