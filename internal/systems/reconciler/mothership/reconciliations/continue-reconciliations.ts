import { sql, type Transaction } from 'kysely';
import { processable, type RunStatus, resultOf } from '../../operations/processable.ts';
import type { Schema } from '../database/schema.ts';
import { componentLimits } from '../model/component-limits.ts';
import { isFinal, type OperationState } from '../model/reconciliation.ts';
import type { ChangeContext, LockedReconciliationRow, SequencedOperationRow } from './context.ts';
import { type Ended, finishReconciliation } from './finish-reconciliation.ts';

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
