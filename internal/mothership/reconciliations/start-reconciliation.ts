import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { PlannedOperation } from '../../reconciliation/plan-operations.ts';
import { processable } from '../../reconciliation/processable.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { Store } from '../database/store.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';
import type { OperationType } from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';

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
 * Starts a run of a cluster: it is `reconciling` or `deleting` then, and the first operations can be claimed. Returns the
 * scheduling id; undefined if the cluster has changed since, or if another process starts it at this moment.
 *
 * @throws RefusedError `running` if it has a run that has not ended
 */
export async function startReconciliation(store: Store, input: StartInput): Promise<string | undefined> {
  try {
    return await store.transaction((tx) => start(tx, input));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) {
      throw new RefusedError(
        'running',
        `cannot start: cluster ${input.runtimeId} has a reconciliation that runs`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

async function start(tx: Transaction<Schema>, input: StartInput): Promise<string | undefined> {
  const status = input.type === 'delete' ? 'deleting' : 'reconciling';
  const statusId = await beginStatus(tx, input, status);
  if (statusId === undefined) return undefined;
  return addReconciliation(tx, input, { statusId, status });
}

/** Adds the status if the cluster still has the one that its run was planned for, and nothing else has its row locked. */
async function beginStatus(
  tx: Transaction<Schema>,
  { runtimeId, statusId }: StartInput,
  status: ClusterStatus,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    with locked as (
      select runtime_id, cluster_version, config_version from runtimes
      where runtime_id = ${runtimeId} and status_id = ${statusId} for update skip locked
    ), added as (
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status)
      select runtime_id, cluster_version, config_version, ${status}::text from locked
      returning id, created
    )
    update runtimes set status_id = added.id, status = ${status}, status_since = added.created, next_run_at = null
    from added where runtimes.runtime_id = ${runtimeId}
    returning added.id
  `.execute(tx);
  return rows[0]?.id;
}

/** Stores the run and its operations; those of the first group are released. */
async function addReconciliation(
  tx: Transaction<Schema>,
  { runtimeId, clusterVersion, configVersion, kymaVersion, type, rank, operations, maxParallel }: StartInput,
  { statusId, status }: { readonly statusId: number; readonly status: ClusterStatus },
): Promise<string> {
  const schedulingId = `${runtimeId}--${randomUUID()}`;
  const common = {
    scheduling_id: schedulingId,
    runtime_id: runtimeId,
    cluster_version: clusterVersion,
    config_version: configVersion,
    type,
    rank,
  };
  await tx
    .insertInto('reconciliations')
    .values({
      ...common,
      config_status_id: statusId,
      kyma_version: kymaVersion,
      status,
      max_parallel: maxParallel,
    })
    .execute();
  const planned = operations.map((operation) => ({ ...operation, state: 'new' as const, type }));
  const released = new Set(processable(planned, maxParallel));
  const rows = planned.map((operation) => ({
    ...common,
    correlation_id: `${runtimeId}--${randomUUID()}`,
    component: operation.component,
    priority: operation.priority,
    state: operation.state,
    released: released.has(operation),
    retry_id: randomUUID(),
    parameters: operation.parameters === undefined ? null : JSON.stringify(operation.parameters),
  }));
  await tx
    .with('added', (query) => query.insertInto('operations').values(rows).returning('correlation_id'))
    .selectNoFrom(sql`pg_notify('mothership_operations', ${schedulingId})`.as('notified'))
    .execute();
  return schedulingId;
}
