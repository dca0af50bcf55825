import { type Selectable, sql, type Transaction } from 'kysely';
import { cutText, type Deps } from '../../../../framework/base/index.ts';
import { processable, type RunStatus, resultOf } from '../../operations/plan-operations.ts';
import { notify } from '../database/database.ts';
import type { RuntimesTable, Schema } from '../database/schema.ts';
import { appendStatus } from '../inventory/cluster-states.ts';
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

/** What decides how a reconciliation goes on, beside its operations. */
type LockedReconciliationRow = Pick<
  Reconciliation,
  'scheduling_id' | 'runtime_id' | 'config_status_id' | 'finished' | 'max_parallel'
>;

/** What decides how a reconciliation goes on. */
type SequencedOperationRow = Pick<
  Operation,
  'scheduling_id' | 'correlation_id' | 'component' | 'type' | 'priority' | 'state' | 'released' | 'reason'
>;

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;

/** Locks the rows of reconciliations until the end of the transaction, in an order that is the same for all. */
export async function lockReconciliations(
  tx: Transaction<Schema>,
  schedulingIds: readonly string[],
): Promise<LockedReconciliationRow[]> {
  return tx
    .selectFrom('reconciliations')
    .select(['scheduling_id', 'runtime_id', 'config_status_id', 'finished', 'max_parallel'])
    .where('scheduling_id', '=', sql<string>`any(${[...new Set(schedulingIds)]}::text[])`)
    .orderBy('scheduling_id')
    .forUpdate()
    .execute();
}

const SENDABLE: readonly OperationState[] = ['new', 'orphan', 'client_error'];

/** Continues one reconciliation, as `continueReconciliations` does. @param changed the component whose operation ended */
export async function continueReconciliation(
  tx: Transaction<Schema>,
  reconciliation: LockedReconciliationRow,
  context: ChangeContext,
  changed?: string,
): Promise<Ended | undefined> {
  const components = new Set(changed === undefined ? [] : [changed]);
  const [ended] = await continueReconciliations(tx, [reconciliation], context, components);
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
  reconciliations: readonly LockedReconciliationRow[],
  context: ChangeContext,
  changed: ReadonlySet<string>,
): Promise<Ended[]> {
  const open = reconciliations.filter(({ finished }) => !finished);
  if (open.length === 0) return [];
  const operationsOf = await lockedOperations(tx, open);
  const ended: Ended[] = [];
  const released: string[] = [];
  const withdrawn: string[] = [];
  for (const reconciliation of open) {
    const operations = operationsOf.get(reconciliation.scheduling_id) ?? [];
    const result = resultOf(operations);
    if (!isRunning(result)) {
      ended.push(await finishReconciliation(tx, { reconciliation, operations, result, context }));
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
  const ids = open.map(({ scheduling_id }) => scheduling_id);
  // After an error, what was released is not sent any more.
  if (withdrawn.length > 0) await setReleased(tx, { ids, operations: withdrawn, released: false });
  if (released.length > 0) await setReleased(tx, { ids, operations: released, released: true });
  else if (isLimited) await sql`select pg_notify('mothership_operations', '')`.execute(tx);
  return ended;
}

const isRunning = (result: RunStatus): boolean => result === 'reconciling' || result === 'deleting';

type OperationsOfRuns = ReadonlyMap<string, SequencedOperationRow[]>;

/**
 * The operations by the scheduling id. Of a run that seems to end with operations that were not sent, these are locked and read
 * again: a claim that came first keeps the run open, and one that comes later finds nothing.
 */
async function lockedOperations(
  tx: Transaction<Schema>,
  open: readonly LockedReconciliationRow[],
): Promise<OperationsOfRuns> {
  const found = await selectOperations(
    tx,
    open.map(({ scheduling_id }) => scheduling_id),
  );
  const ending = [...found].flatMap(([id, operations]) =>
    !isRunning(resultOf(operations)) && operations.some(({ state }) => !isFinal(state)) ? [id] : [],
  );
  if (ending.length === 0) return found;
  return new Map([...found, ...(await selectOperations(tx, ending, { locks: true }))]);
}

/** By the scheduling id, in the order in which they are sent. */
async function selectOperations(
  tx: Transaction<Schema>,
  ids: readonly string[],
  { locks = false }: { readonly locks?: boolean } = {},
): Promise<OperationsOfRuns> {
  const rows = await tx
    .selectFrom('operations')
    .select([
      'scheduling_id',
      'correlation_id',
      'component',
      'type',
      'priority',
      'state',
      'released',
      'reason',
    ])
    .where('scheduling_id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('priority')
    .orderBy('released', 'desc')
    .orderBy('component')
    .$if(locks, (query) => query.forUpdate())
    .execute();
  return Map.groupBy(rows, ({ scheduling_id }) => scheduling_id);
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
  await sql`
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

interface FinishInput {
  readonly reconciliation: LockedReconciliationRow;
  readonly operations: readonly SequencedOperationRow[];
  readonly result: ClusterStatus;
  readonly context: ChangeContext;
}

/**
 * Ends a reconciliation whose operations are final, or locked by this transaction, and gives the cluster its result as status. A status that was set while it ran stays; the
 * reconciliation is then stored with that one.
 */
async function finishReconciliation(tx: Transaction<Schema>, input: FinishInput): Promise<Ended> {
  const { reconciliation, operations, context } = input;
  const { runtime_id: runtimeId, config_status_id: startedStatus } = reconciliation;
  const runtime = await tx
    .selectFrom('runtimes')
    .select(RUNTIME_COLUMNS)
    .where('runtime_id', '=', runtimeId)
    .forUpdate()
    .executeTakeFirst();
  if (runtime?.status_id !== startedStatus) {
    const { status, status_id: statusId } = runtime ?? { status: input.result, status_id: startedStatus };
    await close(tx, input, { status, statusId });
    await notify(tx, 'mothership_clusters', runtimeId);
    return { runtimeId, result: input.result };
  }
  const result = limitErrors(input, runtime.error_count);
  const added = await storeResult(tx, runtime, result, input);
  await close(tx, input, { status: result, statusId: added.id });
  if (result === 'deleted') await removeCluster(tx, runtimeId);
  if (isError(result)) {
    await pauseFailingRollouts(tx, suspectsOf(runtime.kyma_version, operations), context);
  }
  return { runtimeId, result };
}

/**
 * An error is repeated until there were too many in a row. A deletion whose cluster is gone has nothing left to delete.
 *
 * @param earlier errors of this configuration since its last success
 */
function limitErrors({ result, operations, context }: FinishInput, earlier: number): ClusterStatus {
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
  { operations, context }: FinishInput,
): Promise<{ readonly id: number; readonly created: Date }> {
  const failed = operations.filter(({ state }) => state === 'error').map(({ component }) => component);
  const delayMs = nextRunDelayMs(result, runtime.error_count, context);
  return appendStatus(tx, runtime, result, {
    pending_cause: null,
    last_result_at: sql<Date>`clock_timestamp()`,
    last_failed: isError(result),
    failed_components: JSON.stringify(failed),
    ...(delayMs !== undefined && {
      next_run_at: sql<Date>`clock_timestamp() + ${delayMs}::float8 * interval '1 ms'`,
    }),
  });
}

/** Operations that were not sent are withdrawn: the database accepts no end of a run that has open ones. */
async function close(
  tx: Transaction<Schema>,
  { reconciliation: { scheduling_id }, operations }: FinishInput,
  end: { readonly status: ClusterStatus; readonly statusId: number },
): Promise<void> {
  if (operations.some(({ released, state }) => released && !isFinal(state))) {
    await tx
      .updateTable('operations')
      .set({ released: false })
      .where('scheduling_id', '=', scheduling_id)
      .where('released', '=', true)
      .execute();
  }
  await tx
    .updateTable('reconciliations')
    .set({
      finished: true,
      status: end.status,
      config_status_id: end.statusId,
      reason: reasonOf(operations),
      updated: sql<Date>`clock_timestamp()`,
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .where('scheduling_id', '=', scheduling_id)
    .execute();
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
