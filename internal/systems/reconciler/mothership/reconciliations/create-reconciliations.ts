import { type RawBuilder, sql, type Transaction } from 'kysely';
import { isStorable, notify, type Store, storable } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { appendStatus } from '../inventory/cluster-states.ts';
import type {
  Operation,
  Reconciliation,
  ReconciliationFilter,
  Reconciliations,
} from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';
import { applyCallback, type CallbackContext, createEndAttempt } from './end-attempts.ts';

interface ReconciliationsOptions extends CallbackContext {
  readonly store: Store;
  readonly keyring: Keyring;
}

export function createReconciliations({ store, ...context }: ReconciliationsOptions): Reconciliations {
  const { queries } = store;
  const endAttempt = createEndAttempt(store, context);

  const find = async (schedulingId: string): Promise<Reconciliation> => {
    const row = await queries
      .selectFrom('reconciliations')
      .selectAll()
      .where('scheduling_id', '=', storable(schedulingId))
      .executeTakeFirst();
    if (row) return row;
    throw notFound('reconciliation');
  };

  const operationsOf = (schedulingId: string) =>
    queries
      .selectFrom('operations')
      .selectAll()
      .where('scheduling_id', '=', schedulingId)
      .orderBy('priority')
      .orderBy('component')
      .execute();

  const findOperation = async (schedulingId: string, correlationId: string): Promise<Operation> => {
    const operations = await operationsOf(storable(schedulingId));
    const row = operations.find(({ correlation_id }) => correlation_id === correlationId);
    if (row) return row;
    throw notFound('operation');
  };

  return {
    list: (filter) => select(store, filter).execute(),
    get: async (schedulingId) => {
      const found = await find(schedulingId);
      const operations = await operationsOf(found.scheduling_id);
      return { ...found, operations };
    },
    failures: async (statusId) => {
      const failed = await queries
        .selectFrom('operations as o')
        .innerJoin('reconciliations as r', 'r.scheduling_id', 'o.scheduling_id')
        .select(['o.component', 'o.reason'])
        .where('r.config_status_id', '=', statusId)
        .where('o.state', 'in', ['error', 'failed', 'client_error'])
        .orderBy('o.priority')
        .orderBy('o.component')
        .execute();
      return failed.map(({ component, reason }) => ({ component, reason: reason ?? '' }));
    },
    purge: async (runtimeId) => {
      const removed = await store.transaction((tx) =>
        removeReconciliations(tx, sql`runtime_id = ${storable(runtimeId)}`),
      );
      if (removed === 0) throw notFound('reconciliation of the cluster');
      return removed;
    },
    debug: async (schedulingId, correlationId) => {
      const changed = await queries
        .updateTable('operations')
        .set({ debug: true })
        .where('scheduling_id', '=', storable(schedulingId))
        .where('state', '=', 'new')
        .where('finished', '=', false)
        .$if(correlationId !== undefined, (query) =>
          query.where('correlation_id', '=', storable(correlationId ?? '')),
        )
        .returning('correlation_id')
        .execute();
      if (changed.length > 0) return;
      const { finished } = await find(schedulingId);
      if (correlationId !== undefined) await findOperation(schedulingId, correlationId);
      if (finished) throw new RefusedError('final', 'cannot switch debug on: the reconciliation has ended');
      throw new RefusedError('not-new', 'cannot switch debug on: the operations were sent already');
    },
    stop: async (schedulingId, correlationId, reason) => {
      const changed = await endAttempt({
        schedulingId: storable(schedulingId),
        correlationId: storable(correlationId),
        from: ['new'],
        state: 'done',
        reason: storable(reason),
      });
      if (changed) return;
      const { state, finished } = await findOperation(schedulingId, correlationId);
      throw state === 'new' && finished
        ? new RefusedError('final', 'cannot stop the operation: its reconciliation has ended')
        : new RefusedError('not-new', 'cannot stop the operation: it was sent already');
    },
    callback: (callback) => applyCallback(store, callback, { ...context, endAttempt }),
  };
}

function select({ queries }: Store, filter: ReconciliationFilter) {
  const { runtimeIds, schedulingIds, statuses, finished, createdBefore, createdAfter, limit } = filter;
  let query = queries.selectFrom('reconciliations').selectAll();
  if (runtimeIds) query = query.where('runtime_id', '=', any(runtimeIds));
  if (schedulingIds) query = query.where('scheduling_id', '=', any(schedulingIds));
  if (statuses) query = query.where('status', '=', sql<never>`any(${statuses})`);
  if (finished !== undefined) query = query.where('finished', '=', finished);
  if (createdBefore) query = query.where('created', '<', createdBefore);
  // Times of clients have milliseconds, those of the database microseconds.
  if (createdAfter) query = query.where('created', '>=', new Date(createdAfter.getTime() + 1));
  query = query.orderBy('created', 'desc').orderBy('scheduling_id');
  return limit === undefined ? query : query.limit(limit);
}

/** SQL: one of these texts. Those that cannot be stored are not found. */
const any = (texts: readonly string[]) => sql<string>`any(${texts.filter(isStorable)}::text[])`;

const notFound = (what: string) => new RefusedError('not-found', `cannot find the ${what}`);

/**
 * Removes reconciliations with their operations. A cluster whose run was removed would be in progress for ever, so it is
 * pending again.
 *
 * @returns how many were removed
 */
export async function removeReconciliations(
  tx: Transaction<Schema>,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<Pick<Reconciliation, 'runtime_id' | 'config_status_id' | 'finished' | 'type'>>`
    delete from reconciliations where ${condition} returning runtime_id, config_status_id, finished, type
  `.execute(tx);
  for (const { finished, runtime_id, config_status_id, type } of rows) {
    if (finished) continue;
    const runtime = await tx
      .selectFrom('runtimes')
      .selectAll()
      .where('runtime_id', '=', runtime_id)
      .forUpdate()
      .executeTakeFirst();
    if (runtime?.status_id !== config_status_id) continue;
    await appendStatus(tx, runtime, type === 'delete' ? 'delete_pending' : 'reconcile_pending');
    await notify(tx, 'mothership_clusters', runtime_id);
  }
  return rows.length;
}
