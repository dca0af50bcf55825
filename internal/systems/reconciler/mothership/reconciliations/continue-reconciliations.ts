import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { cutText, type Deps } from '../../../../framework/base/index.ts';
import { processable, type RunStatus, resultOf } from '../../operations/plan-operations.ts';
import { notify, unread } from '../database/database.ts';
import type { RuntimesTable, Schema } from '../database/schema.ts';
import { appendingStatus } from '../inventory/cluster-states.ts';
import { removeCluster } from '../inventory/create-inventory.ts';
import type { ClusterStatus } from '../model/cluster.ts';
import type { Observer } from '../model/mothership.ts';
import {
  componentLimits,
  isFinal,
  type Operation,
  type OperationState,
  type Reconciliation,
} from '../model/reconciliation.ts';
import type { Settings } from '../model/settings.ts';
import { pauseFailingRollouts, suspectsOf } from '../rollouts.ts';

/** What all changes of reconciliations need. */
export interface ChangeContext extends Pick<Deps, 'random' | 'log'> {
  readonly settings: Pick<
    Settings,
    | 'maxParallel'
    | 'maxParallelByComponent'
    | 'maxReconcileErrors'
    | 'maxDeleteErrors'
    | 'maxOperationRetries'
    | 'orphanTimeoutMs'
    | 'reconcileIntervalMs'
    | 'rollouts'
  >;
  readonly observers: readonly Observer[];
}

const RUN_COLUMNS = ['scheduling_id', 'runtime_id', 'config_status_id', 'max_parallel'] as const;
/** What decides how a reconciliation goes on, beside its operations. */
export type RunRow = Pick<Reconciliation, (typeof RUN_COLUMNS)[number]>;

/** What decides how a reconciliation goes on. */
const SEQUENCED_COLUMNS = [
  'scheduling_id',
  'correlation_id',
  'component',
  'type',
  'priority',
  'state',
  'released',
  'reason',
] as const satisfies (keyof Operation)[];
export type SequencedOperationRow = Pick<Operation, (typeof SEQUENCED_COLUMNS)[number]>;

/** SQL: what decides how a reconciliation goes on, of operations `o`. */
export const sequencedColumns = sql.join(SEQUENCED_COLUMNS.map((column) => sql.ref(`o.${column}`)));
/** SQL: the order in which operations are sent. */
export const sequence = sql`priority, released desc, component`;

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;

/** Locks the rows of reconciliations until the end of the transaction, in an order that is the same for all. What is read after it is theirs. */
export async function lockReconciliations(
  tx: Transaction<Schema>,
  schedulingIds: readonly string[],
): Promise<void> {
  await sql`${unread}
    select 1 from reconciliations where scheduling_id = any(${[...new Set(schedulingIds)]}::text[])
    order by scheduling_id for update
  `.execute(tx);
}

/** A reconciliation that has not ended, as it was read since its row was locked. */
export interface LockedRun {
  readonly reconciliation: RunRow;
  /** All of them, in the order in which they are sent. */
  readonly operations: readonly SequencedOperationRow[];
}

const SENDABLE: readonly OperationState[] = ['new', 'orphan', 'client_error'];

/**
 * Continues one reconciliation, as `continueReconciliations` does, unless it has ended. The caller has locked its row.
 *
 * @param changed the component whose operation ended
 */
export async function continueReconciliation(
  tx: Transaction<Schema>,
  schedulingId: string,
  context: ChangeContext,
  changed?: string,
): Promise<Ended | undefined> {
  const reconciliation = await tx
    .selectFrom('reconciliations')
    .select(RUN_COLUMNS)
    .where('scheduling_id', '=', schedulingId)
    .where('finished', '=', false)
    .executeTakeFirst();
  if (reconciliation === undefined) return undefined;
  const components = new Set(changed === undefined ? [] : [changed]);
  const run = { reconciliation, operations: await selectOperations(tx, [schedulingId]) };
  const [ended] = await continueReconciliations(tx, [run], context, components);
  return ended;
}

/**
 * Releases the operations of reconciliations that have their turn now, or ends the reconciliations. The caller has locked
 * their rows in this transaction, so that changes of their operations take turns. Returns those that ended.
 *
 * @param changed components whose operations ended; others may wait for their limits
 */
export async function continueReconciliations(
  tx: Transaction<Schema>,
  runs: readonly LockedRun[],
  context: ChangeContext,
  changed: ReadonlySet<string>,
): Promise<Ended[]> {
  if (runs.length === 0) return [];
  const ends: RunEnd[] = [];
  const released: string[] = [];
  const withdrawn: string[] = [];
  for (const { reconciliation, operations } of await lockEnding(tx, runs)) {
    const result = resultOf(operations);
    if (!isRunning(result)) {
      ends.push({ reconciliation, operations, result, context });
      continue;
    }
    const wanted = new Set(
      processable(operations, reconciliation.max_parallel ?? context.settings.maxParallel),
    );
    for (const operation of operations) {
      if (wanted.has(operation) && !operation.released) released.push(operation.correlation_id);
      const isWaiting = operation.released && SENDABLE.includes(operation.state);
      if (isWaiting && !wanted.has(operation)) withdrawn.push(operation.correlation_id);
    }
  }
  const limits = componentLimits(context.settings.maxParallelByComponent);
  const isLimited = [...changed].some((component) => limits.has(component.toLowerCase()));
  const ids = runs.map(({ reconciliation }) => reconciliation.scheduling_id);
  // After an error, what was released is not sent any more.
  if (withdrawn.length > 0) await setReleased(tx, { ids, operations: withdrawn, released: false });
  if (released.length > 0) await setReleased(tx, { ids, operations: released, released: true });
  else if (isLimited) await notify(tx, 'mothership_operations', '');
  return finishReconciliations(tx, ends);
}

const isRunning = (result: RunStatus): boolean => result === 'reconciling' || result === 'deleting';

/**
 * Of a run that seems to end with operations that were not sent, these are locked and read again: a claim that came first keeps the run
 * open, and one that comes later finds nothing.
 */
async function lockEnding(
  tx: Transaction<Schema>,
  runs: readonly LockedRun[],
): Promise<readonly LockedRun[]> {
  const ending = runs.filter(
    ({ operations }) => !isRunning(resultOf(operations)) && operations.some(({ state }) => !isFinal(state)),
  );
  if (ending.length === 0) return runs;
  const ids = ending.map(({ reconciliation }) => reconciliation.scheduling_id);
  const locked = await selectOperations(tx, ids, { locks: true });
  const byRun = Map.groupBy(locked, ({ scheduling_id }) => scheduling_id);
  return runs.map((run) => ({
    ...run,
    operations: byRun.get(run.reconciliation.scheduling_id) ?? run.operations,
  }));
}

/** In the order in which they are sent. */
async function selectOperations(
  tx: Transaction<Schema>,
  ids: readonly string[],
  { locks = false }: { readonly locks?: boolean } = {},
): Promise<SequencedOperationRow[]> {
  const { rows } = await sql<SequencedOperationRow>`
    select ${sequencedColumns} from operations o where scheduling_id = any(${ids}::text[]) order by ${sequence}
    ${locks ? sql`for update` : sql``}
  `.execute(tx);
  return rows;
}

interface Release {
  /** Scheduling ids. */
  readonly ids: readonly string[];
  /** Correlation ids. */
  readonly operations: readonly string[];
  readonly released: boolean;
}

/** Changes `released` of what is not at a component reconciler, and wakes the worker pools when there is more to send. */
async function setReleased(tx: Transaction<Schema>, { ids, operations, released }: Release): Promise<void> {
  const notified = released ? sql`select pg_notify('mothership_operations', '')` : sql`select 1`;
  await sql`${unread}
    with changed as (
      update operations set released = ${released}
      where scheduling_id = any(${ids}::text[]) and correlation_id = any(${operations}::text[])
        and state in (${sql.join(SENDABLE.map((state) => sql.lit(state)))})
    ) ${notified}
  `.execute(tx);
}

/** A reconciliation that ended in a transaction; reported when that is committed. */
export interface Ended {
  readonly runtimeId: string;
  readonly result: ClusterStatus;
}

const RUNTIME_COLUMNS = [
  'runtime_id',
  'cluster_version',
  'config_version',
  'status_id',
  'status',
  'error_count',
  'kyma_version',
] as const;
type Runtime = Pick<Selectable<RuntimesTable>, (typeof RUNTIME_COLUMNS)[number]>;

interface RunEnd extends LockedRun {
  readonly result: ClusterStatus;
  readonly context: ChangeContext;
}

/** Ends reconciliations whose operations are final, or locked by this transaction, and gives their clusters the results as statuses. */
async function finishReconciliations(tx: Transaction<Schema>, ends: readonly RunEnd[]): Promise<Ended[]> {
  if (ends.length === 0) return [];
  const rows = await tx
    .selectFrom('runtimes')
    .select(RUNTIME_COLUMNS)
    .where(
      'runtime_id',
      '=',
      sql<string>`any(${ends.map(({ reconciliation }) => reconciliation.runtime_id)}::text[])`,
    )
    .orderBy('runtime_id')
    .forUpdate()
    .execute();
  const runtimes = new Map(rows.map((row) => [row.runtime_id, row]));
  const ended: Ended[] = [];
  for (const end of ends)
    ended.push(await finishReconciliation(tx, end, runtimes.get(end.reconciliation.runtime_id)));
  return ended;
}

/**
 * A status that was set while the reconciliation ran stays; the reconciliation is then stored with that one.
 *
 * @param runtime undefined: the cluster was removed
 */
async function finishReconciliation(
  tx: Transaction<Schema>,
  end: RunEnd,
  runtime: Runtime | undefined,
): Promise<Ended> {
  const { runtime_id: runtimeId, config_status_id: startedStatus } = end.reconciliation;
  if (runtime?.status_id !== startedStatus) {
    const { status, status_id: statusId } = runtime ?? { status: end.result, status_id: startedStatus };
    await close(tx, end, status, sql`${statusId}::bigint`);
    await notify(tx, 'mothership_clusters', runtimeId);
    return { runtimeId, result: end.result };
  }
  const result = limitErrors(end, runtime.error_count);
  await storeResult(tx, runtime, result, end);
  await close(tx, end, result, sql`(select status_id from runtimes where runtime_id = ${runtimeId})`);
  if (result === 'deleted') await removeCluster(tx, runtimeId);
  if (isError(result)) {
    await pauseFailingRollouts(tx, suspectsOf(runtime.kyma_version, end.operations), end.context);
  }
  return { runtimeId, result };
}

/**
 * An error is repeated until there were too many in a row. A deletion whose cluster is gone has nothing left to delete.
 *
 * @param earlier errors of this configuration since its last success
 */
function limitErrors({ result, operations, context }: RunEnd, earlier: number): ClusterStatus {
  const { maxReconcileErrors, maxDeleteErrors } = context.settings;
  if (result === 'error') return earlier < maxReconcileErrors ? 'reconcile_error_retryable' : 'error';
  if (result !== 'delete_error') return result;
  const isGone = operations.some(
    ({ state, reason }) => state === 'error' && reason?.includes('no such host'),
  );
  if (earlier >= 1 && isGone) return 'deleted';
  return earlier < maxDeleteErrors ? 'delete_error_retryable' : 'delete_error';
}

async function storeResult(
  tx: Transaction<Schema>,
  runtime: Runtime,
  result: ClusterStatus,
  { operations, context }: RunEnd,
): Promise<void> {
  const failed = operations.filter(({ state }) => state === 'error').map(({ component }) => component);
  const delayMs = nextRunDelayMs(result, runtime.error_count, context);
  const added = appendingStatus(tx, runtime, result, {
    pending_cause: null,
    last_result_at: sql<Date>`clock_timestamp()`,
    last_failed: isError(result),
    failed_components: JSON.stringify(failed),
    ...(delayMs !== undefined && {
      next_run_at: sql<Date>`clock_timestamp() + ${delayMs}::float8 * interval '1 ms'`,
    }),
  });
  await sql`${unread} ${added}`.execute(tx);
}

/** Operations that were not sent are withdrawn: the database accepts no end of a run that has open ones. */
async function close(
  tx: Transaction<Schema>,
  { reconciliation: { scheduling_id }, operations }: LockedRun,
  status: ClusterStatus,
  statusId: RawBuilder<unknown>,
): Promise<void> {
  if (operations.some(({ released, state }) => released && !isFinal(state))) {
    await sql`${unread}
      update operations set released = false where scheduling_id = ${scheduling_id} and released
    `.execute(tx);
  }
  await sql`${unread}
    update reconciliations set finished = true, status = ${status}, config_status_id = ${statusId},
      reason = ${reasonOf(operations)}, updated = clock_timestamp(), finished_at = clock_timestamp()
    where scheduling_id = ${scheduling_id}
  `.execute(tx);
}

const isError = (status: ClusterStatus): boolean => status.includes('error');

/** The failed components with their reasons, in one line. */
function reasonOf(operations: readonly SequencedOperationRow[]): string | null {
  const failed = operations.filter(({ state }) => state === 'error');
  if (failed.length === 0) return null;
  return cutText(failed.map(({ component, reason }) => `${component}: ${reason ?? 'failed'}`).join('; '));
}

/**
 * Periodic runs are later than the interval by up to this share of it, so that they spread evenly. At most 20 % is promised;
 * the rest is for the scheduler.
 */
const SPREAD = 0.15;
/** Errors after which the delay doubles, and how often it does. */
const ERRORS_FOR_DOUBLE_DELAY = 3;
const MAX_DOUBLINGS = 3;

/** Delay of the next run after this result, in ms; undefined: the scheduler starts none. */
function nextRunDelayMs(
  result: ClusterStatus,
  earlierErrors: number,
  { settings, random }: Pick<ChangeContext, 'settings' | 'random'>,
): number | undefined {
  const spreadMs = settings.reconcileIntervalMs * (1 + SPREAD * random());
  if (result === 'ready') return spreadMs;
  if (result !== 'reconcile_error_retryable' && result !== 'delete_error_retryable') return undefined;
  const doublings = Math.min(Math.floor(earlierErrors / ERRORS_FOR_DOUBLE_DELAY), MAX_DOUBLINGS);
  return spreadMs * 2 ** doublings;
}
