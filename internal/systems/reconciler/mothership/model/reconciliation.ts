/** Reconciliations of clusters and their operations. */
import type { Selectable } from 'kysely';
import type {
  OperationState,
  OperationsTable,
  OperationType,
  ReconciliationsTable,
} from '../database/schema.ts';
import type { ClusterStatus } from './cluster-status.ts';

export type { OperationState, OperationType };

/** One run over the components of a cluster, as it is stored. */
export type Reconciliation = Selectable<ReconciliationsTable>;

/** One component in a reconciliation, as it is stored. */
export type Operation = Selectable<OperationsTable>;

export interface ReconciliationInfo extends Reconciliation {
  /** By priority, then by component. */
  readonly operations: readonly Operation[];
}

/** An operation that has ended, for metrics. */
export interface EndedOperation extends Pick<Operation, 'component' | 'state' | 'retries'> {
  readonly reason: string | undefined;
  readonly processingDurationMs: number;
  readonly lifetimeMs: number;
  /** Since it was claimed first; undefined: it was never. */
  readonly claimedMs: number | undefined;
}

/** An operation that did not succeed, and why. */
export interface Failure {
  readonly component: string;
  readonly reason: string;
}

/** Conditions that all hold; those that are undefined hold always. */
export interface ReconciliationFilter {
  readonly runtimeIds?: readonly string[];
  readonly schedulingIds?: readonly string[];
  readonly statuses?: readonly ClusterStatus[];
  readonly finished?: boolean;
  /** Created before this time, and not at it. */
  readonly createdBefore?: Date;
  /** Created after this time, and not at it. */
  readonly createdAfter?: Date;
  /** At most so many, the newest first. */
  readonly limit?: number;
}

/** `done` and `error`: no change is accepted any more. */
export const isFinal = (state: OperationState): boolean => state === 'done' || state === 'error';
