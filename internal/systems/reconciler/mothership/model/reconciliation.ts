/** Reconciliations of clusters and their operations, as the API shows them. */
import type { OperationState, OperationType } from '../database/schema/scheduler-tables.ts';
import type { ClusterStatus } from './cluster-status.ts';

export type { OperationState, OperationType };

/** One run over the components of a cluster. */
export interface Reconciliation {
  readonly schedulingId: string;
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly configVersion: number;
  /** The status that the run set: first that it runs, at the end its result. */
  readonly configStatusId: number;
  readonly type: OperationType;
  readonly kymaVersion: string;
  /** The runtime id while it runs, then `unlock-<scheduling id>`, as the Go program has it. */
  readonly lock: string;
  readonly status: ClusterStatus;
  readonly finished: boolean;
  readonly reason: string | undefined;
  readonly created: Date;
  readonly updated: Date;
}

export interface ReconciliationInfo extends Reconciliation {
  /** By priority, then by component. */
  readonly operations: readonly Operation[];
}

/** One component in a reconciliation. */
export interface Operation {
  readonly schedulingId: string;
  readonly correlationId: string;
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly configVersion: number;
  readonly component: string;
  readonly type: OperationType;
  /** Group in the sequence, from 1. */
  readonly priority: number;
  readonly state: OperationState;
  readonly reason: string | undefined;
  /** Times it was sent to a component reconciler. */
  readonly attempts: number;
  /** When it is sent at the earliest; undefined while it runs and when it has ended. */
  readonly nextAttemptAt: Date | undefined;
  readonly pickedUp: Date | undefined;
  /** Attempts of the component reconciler. */
  readonly retries: number;
  readonly retryId: string;
  /** What the component reconciler reported last. */
  readonly progress: unknown;
  readonly processingDurationMs: number;
  readonly debug: boolean;
  readonly created: Date;
  readonly updated: Date;
}

/** An operation that has ended, for metrics. */
export interface EndedOperation
  extends Pick<Operation, 'component' | 'state' | 'reason' | 'retries' | 'processingDurationMs'> {
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
