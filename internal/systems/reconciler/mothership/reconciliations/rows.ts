import { type Selectable, sql } from 'kysely';
import type { OperationsTable, ReconciliationsTable } from '../database/schema/scheduler-tables.ts';
import {
  isFinal,
  type Operation,
  type OperationState,
  type Reconciliation,
} from '../model/reconciliation.ts';

export type OperationRow = Selectable<OperationsTable>;
export type ReconciliationRow = Selectable<ReconciliationsTable>;

/** What decides how a reconciliation goes on, beside its operations. */
export type LockedReconciliationRow = Pick<
  ReconciliationRow,
  'scheduling_id' | 'runtime_id' | 'config_status_id' | 'finished' | 'max_parallel'
>;

/** What decides how a reconciliation goes on. */
export type SequencedOperationRow = Pick<
  OperationRow,
  'scheduling_id' | 'correlation_id' | 'component' | 'type' | 'priority' | 'state' | 'released' | 'reason'
>;

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;

export function operationOf(row: OperationRow): Operation {
  const waits = !isFinal(row.state) && row.state !== 'in_progress' && row.state !== 'failed';
  return {
    schedulingId: row.scheduling_id,
    correlationId: row.correlation_id,
    runtimeId: row.runtime_id,
    clusterVersion: row.cluster_version,
    configVersion: row.config_version,
    component: row.component,
    type: row.type,
    priority: row.priority,
    state: row.state,
    reason: row.reason ?? undefined,
    attempts: row.attempts,
    nextAttemptAt: waits ? row.next_attempt_at : undefined,
    pickedUp: row.picked_up ?? undefined,
    retries: row.retries,
    retryId: row.retry_id,
    progress: row.progress ?? undefined,
    processingDurationMs: row.processing_duration,
    debug: row.debug,
    created: row.created,
    updated: row.updated,
  };
}

export function reconciliationOf(row: ReconciliationRow): Reconciliation {
  return {
    schedulingId: row.scheduling_id,
    runtimeId: row.runtime_id,
    clusterVersion: row.cluster_version,
    configVersion: row.config_version,
    configStatusId: row.config_status_id,
    type: row.type,
    kymaVersion: row.kyma_version,
    lock: row.finished ? `unlock-${row.scheduling_id}` : row.runtime_id,
    status: row.status,
    finished: row.finished,
    reason: row.reason ?? undefined,
    created: row.created,
    updated: row.updated,
  };
}
