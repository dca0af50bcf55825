import type { Callback, CallbackResult } from './callback.ts';
import type { Failure, Reconciliation, ReconciliationFilter, ReconciliationInfo } from './reconciliation.ts';

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
