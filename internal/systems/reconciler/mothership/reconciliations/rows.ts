import { sql } from 'kysely';
import type { Operation, OperationState, Reconciliation } from '../model/reconciliation.ts';

/** What decides how a reconciliation goes on, beside its operations. */
export type LockedReconciliationRow = Pick<
  Reconciliation,
  'scheduling_id' | 'runtime_id' | 'config_status_id' | 'finished' | 'max_parallel'
>;

/** What decides how a reconciliation goes on. */
export type SequencedOperationRow = Pick<
  Operation,
  'scheduling_id' | 'correlation_id' | 'component' | 'type' | 'priority' | 'state' | 'released' | 'reason'
>;

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
