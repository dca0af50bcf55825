import { randomUUID } from 'node:crypto';
import { type Reserve, reserveNothing } from '../base/concurrency/limit-key.ts';
import type { WatchedObject } from '../base/errors/errors.ts';

/**
 * The result of a reconcile for the queue. A thrown error is retried with backoff, except a `terminal` one, which is
 * not retried.
 */
export type ReconcileResult = {
  /** Objects whose change requeues the object after this reconcile; default: none. */
  readonly targets?: readonly WatchedObject[];
} /** Done until something changes. Resets the backoff. */ & (
  | { readonly type: 'done' }
  /** The object does not exist. Drops the state of the request. */
  | { readonly type: 'gone' }
  /** Requeue with the backoff of the request, without an error. */
  | { readonly type: 'requeue' }
  /** Requeue after `delayMs` and reset the backoff, unless `keepsBackoff`. A poll has low priority. */
  | {
      readonly type: 'requeue-after';
      readonly delayMs: number;
      readonly poll: boolean;
      readonly keepsBackoff?: boolean;
    }
);

export const done: ReconcileResult = { type: 'done' };
export const gone: ReconcileResult = { type: 'gone' };
export const requeue: ReconcileResult = { type: 'requeue' };
export const requeueAfter = (delayMs: number): ReconcileResult => ({
  type: 'requeue-after',
  delayMs,
  poll: false,
});
/** For an operation in progress, which may still fail: the next failure waits longer than the last one. */
export const requeueInProgress = (delayMs: number): ReconcileResult => ({
  type: 'requeue-after',
  delayMs,
  poll: false,
  keepsBackoff: true,
});
export const pollAfter = (delayMs: number): ReconcileResult => ({
  type: 'requeue-after',
  delayMs,
  poll: true,
});

/** The cause and the resources of one reconcile. */
export interface ReconcileRequest {
  /**
   * Nothing changed and nothing was requested: a poll, a resync or the start of the process. Only then may the
   * reconciler use external data that it read shortly before.
   */
  readonly isLowPriority: boolean;
  /** Reserves slots of limit keys that the reconcile finds, e.g. of a host. */
  readonly reserve: Reserve;
  /** A UUID on all log lines of the reconcile; default: none. */
  readonly reconcileID?: string;
}

/** The request of a new reconcile. Its ID is generated on first use, since most reconciles log nothing. */
export class NewReconcileRequest implements ReconcileRequest {
  readonly isLowPriority: boolean;
  readonly reserve: Reserve;
  #id: string | undefined;

  constructor(isLowPriority: boolean, reserve: Reserve) {
    this.isLowPriority = isLowPriority;
    this.reserve = reserve;
  }

  get reconcileID(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }
}

/** For a change or a requested reconcile. */
export const highPriorityRequest: ReconcileRequest = { isLowPriority: false, reserve: reserveNothing };

/**
 * Reconciles one object. Level-based: called with a key only, at any time, more or less often than the object
 * changed, and never twice at a time for one key.
 *
 * @param key `namespace/name`, or `name`
 * @param signal aborted at the deadline of the reconcile and when the process must stop
 */
export type Reconcile = (
  key: string,
  signal: AbortSignal,
  request: ReconcileRequest,
) => Promise<ReconcileResult>;
