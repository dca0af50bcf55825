import { sql } from 'kysely';
import { inParallel } from '../../../../framework/base/index.ts';
import { createBatcher } from '../database/create-batcher.ts';
import type { Store } from '../database/database.ts';
import { type ChangedOperation, changeOperations, type OperationChange } from './change-operations.ts';
import { type ChangeContext, lockReconciliations, stateIn } from './context.ts';
import { continueReconciliation, continueReconciliations } from './continue-reconciliations.ts';
import { reportEnded, reportOperation } from './report.ts';

/** Ends the attempt of one operation; undefined, with nothing changed, if the condition of the change does not hold. */
export type EndAttempt = (change: OperationChange) => Promise<ChangedOperation | undefined>;

/** Ends attempts as `endAttempts` does, those that come at the same time in one transaction. */
export const createEndAttempt = (store: Store, context: ChangeContext): EndAttempt =>
  createBatcher({
    keyOf: ({ correlationId }) => correlationId,
    run: (changes) => endAttempts(store, changes, context),
  });

/**
 * Changes operations that are no longer in progress then, and releases what follows or ends their reconciliations, in one
 * transaction. The operations are different ones.
 *
 * @returns what each change made; undefined, with nothing changed, where its condition does not hold
 */
async function endAttempts(
  store: Store,
  changes: readonly OperationChange[],
  context: ChangeContext,
): Promise<(ChangedOperation | undefined)[]> {
  const { operations, ended } = await store.transaction(async (tx) => {
    const locked = await lockReconciliations(
      tx,
      changes.map(({ schedulingId }) => schedulingId),
    );
    const operations = await changeOperations(tx, changes);
    const changed = new Set(operations.map(({ schedulingId }) => schedulingId));
    const components = new Set(operations.map(({ component }) => component));
    const continued = locked.filter(({ scheduling_id }) => changed.has(scheduling_id));
    return { operations, ended: await continueReconciliations(tx, continued, context, components) };
  });
  for (const operation of operations) reportOperation(operation, context);
  for (const end of ended) reportEnded(end, context);
  return changes.map(({ schedulingId, correlationId }) =>
    operations.find((each) => each.schedulingId === schedulingId && each.correlationId === correlationId),
  );
}

/** Reconciliations of one round; the next one follows at once. */
const BATCH = 200;
const WIDTH = 4;

/** Operations that may be at a component reconciler. */
const atComponent = stateIn('in_progress', 'failed', 'client_error');

/** `claimed`: only those that no process has sent. */
export type Lost = 'claimed' | 'all';

const isLost = (which: Lost) =>
  which === 'all'
    ? sql`${atComponent} and lease_until < now()`
    : sql`state = 'in_progress' and not sent and lease_until < now()`;

/**
 * Operations without a sign of life until the end of their lease are orphans: they may be sent again. Returns how many were
 * marked.
 */
export async function markOrphans(
  store: Store,
  context: ChangeContext,
  which: Lost = 'all',
): Promise<number> {
  let marked = 0;
  for (;;) {
    const { rows } = await sql<{ scheduling_id: string }>`
      select distinct scheduling_id from (
        select scheduling_id from operations where ${isLost(which)} order by lease_until limit ${BATCH}
      ) as lost
    `.execute(store.queries);
    if (rows.length === 0) return marked;
    await inParallel(rows, WIDTH, async ({ scheduling_id }) => {
      const count = await markOf(store, scheduling_id, context, which);
      marked += count;
    });
  }
}

async function markOf(
  store: Store,
  schedulingId: string,
  context: ChangeContext,
  which: Lost,
): Promise<number> {
  const { marked, ended } = await store.transaction(async (tx) => {
    const [locked] = await lockReconciliations(tx, [schedulingId]);
    const { rows } = await sql<{ component: string }>`
      update operations set state = 'orphan', released = false, lease_until = null, updated = clock_timestamp(),
        next_attempt_at = clock_timestamp()
      where scheduling_id = ${schedulingId} and ${isLost(which)}
      returning component
    `.execute(tx);
    const [first] = rows;
    if (locked === undefined || first === undefined) return { marked: 0, ended: undefined };
    return { marked: rows.length, ended: await continueReconciliation(tx, locked, context, first.component) };
  });
  if (marked > 0)
    context.log.info('operations without a sign of life are sent again', { schedulingId, marked });
  if (ended !== undefined) reportEnded(ended, context);
  return marked;
}
