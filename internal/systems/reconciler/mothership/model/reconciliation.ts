/** Reconciliations of clusters and their operations. */
import type { Selectable } from 'kysely';
import type {
  OperationState,
  OperationsTable,
  OperationType,
  ReconciliationsTable,
} from '../database/schema.ts';
import type { ClusterStatus } from './cluster.ts';

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

/** The reconciliations and their operations, for the APIs. */
export interface Reconciliations {
  /** Newest first. */
  list(filter: ReconciliationFilter): Promise<Reconciliation[]>;
  /** @throws RefusedError `not-found` */
  get(schedulingId: string): Promise<ReconciliationInfo>;
  /** Operations in `error`, `failed` or `client_error` of the run that set this status of a cluster. */
  failures(statusId: number): Promise<Failure[]>;
  /**
   * Removes all reconciliations of a cluster, running ones too. A cluster whose run was removed is pending again. Returns
   * how many there were. @throws RefusedError `not-found` if there are none
   */
  purge(runtimeId: string): Promise<number>;
  /**
   * Switches the debug log on: of one operation, or of all that were not sent yet.
   *
   * @throws RefusedError `not-found`, `final` if the reconciliation has ended, `not-new` if nothing was changed
   */
  debug(schedulingId: string, correlationId?: string): Promise<void>;
  /** Ends an operation as `done` before it is sent. @throws RefusedError `not-found`, `not-new` */
  stop(schedulingId: string, correlationId: string, reason: string): Promise<void>;
  /**
   * Stores what a component reconciler reports. A final result releases the next operations, or ends the reconciliation.
   *
   * @throws RefusedError `not-found` whatever the token, then `missing-token`, `stale-token`, `final`
   */
  callback(callback: Callback): Promise<CallbackResult>;
}

/** What component reconcilers report about an operation. */
export const CALLBACK_STATUSES = ['notstarted', 'running', 'failed', 'success', 'error'] as const;
export type CallbackStatus = (typeof CALLBACK_STATUSES)[number];

export interface Callback {
  readonly schedulingId: string;
  readonly correlationId: string;
  /** The `token` of the callback URL, as received. */
  readonly token: string | undefined;
  readonly status: CallbackStatus;
  /** Why it failed; empty if it did not. */
  readonly error: string;
  readonly retryId: string;
  readonly processingDurationMs: number;
  /** Any JSON within the limits of the server. Undefined: unchanged. */
  readonly progress?: unknown;
}

/** `repeated`: the operation has ended with this result already; nothing was changed. */
export type CallbackResult = 'applied' | 'repeated';

/**
 * The limits of `maxParallelByComponent` by component in lower case: keys of the configuration file may have any case, and so may
 * the names of components.
 */
export const componentLimits = (limits: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(limits).map(([component, limit]) => [component.toLowerCase(), limit]));
