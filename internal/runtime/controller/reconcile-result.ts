import { randomUUID } from 'node:crypto';
import { type Reserve, reserveNothing } from '../../base/concurrency/limit-key.ts';

/**
 * What a reconcile asks of the queue. A thrown error is the fourth outcome: retried with backoff, except that a
 * `terminal` one is not retried at all.
 */
export type ReconcileResult =
  /** Nothing to do before something changes; earlier failures are forgotten. */
  | { readonly type: 'done' }
  /** The object does not exist: all that is kept for the request is dropped. */
  | { readonly type: 'gone' }
  /** Again after the item's backoff, as after an error, but nothing failed. */
  | { readonly type: 'requeue' }
  /** Again after `delayMs`; earlier failures are forgotten. A poll has low priority. */
  | { readonly type: 'requeue-after'; readonly delayMs: number; readonly poll: boolean };

export const done: ReconcileResult = { type: 'done' };
export const gone: ReconcileResult = { type: 'gone' };
export const requeue: ReconcileResult = { type: 'requeue' };
export const requeueAfter = (delayMs: number): ReconcileResult => ({
  type: 'requeue-after',
  delayMs,
  poll: false,
});
export const pollAfter = (delayMs: number): ReconcileResult => ({
  type: 'requeue-after',
  delayMs,
  poll: true,
});

/** Why a reconcile takes place. */
export interface ReconcileRequest {
  /**
   * Nothing changed and nothing was requested: a poll, a resync or the start of the process. Only then may the reconciler use
   * what it learned of an external API shortly before.
   */
  readonly isLowPriority: boolean;
  /** For what the reconcile learns on its way, e.g. which host it is about to call. */
  readonly reserve: Reserve;
  /** A UUID that all log lines of this reconcile have; default: they have none. */
  readonly reconcileID?: string;
}

/** The occasion of a new reconcile. Its ID is made when it is first read: most reconciles log nothing. */
export function createReconcileRequest(isLowPriority: boolean, reserve: Reserve): ReconcileRequest {
  let id: string | undefined;
  return {
    isLowPriority,
    reserve,
    get reconcileID() {
      id ??= randomUUID();
      return id;
    },
  };
}

/** Something changed, or a reconcile was requested. */
export const highPriorityRequest: ReconcileRequest = { isLowPriority: false, reserve: reserveNothing };

/**
 * Brings one object towards what it asks for. Level-based: it is given only a key, may be called at any time, more
 * or less often than something changed, and never twice at a time for one key.
 *
 * @param key `namespace/name`, or `name`
 * @param signal ends with the reconcile's deadline and when the process must stop at once
 */
export type Reconcile = (
  key: string,
  signal: AbortSignal,
  request: ReconcileRequest,
) => Promise<ReconcileResult>;
