import { randomUUID } from 'node:crypto';
import { type Reserve, reserveNothing } from '../../base/limit-key.ts';

/**
 * What a reconcile asks of the queue. A thrown error is the fourth outcome: retried with backoff, except that a
 * `terminal` one is not retried at all.
 */
export type ReconcileResult =
  /** Nothing to do before something changes; earlier failures are forgotten. */
  | { readonly type: 'done' }
  /** Again after the item's backoff, as after an error, but nothing failed. */
  | { readonly type: 'requeue' }
  /** Again after `delayMs`; earlier failures are forgotten. A poll is routine: it yields to all other work. */
  | { readonly type: 'requeue-after'; readonly delayMs: number; readonly poll: boolean };

export const done: ReconcileResult = { type: 'done' };
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
export interface Occasion {
  /**
   * Nobody changed anything or asked for anything: the object is looked at again, by a poll, a resync or at the start of
   * the process. What was learnt of another side a moment ago may do then, and then only.
   */
  readonly routine: boolean;
  /** For what the reconcile learns on its way, e.g. which host it is about to call. */
  readonly reserve: Reserve;
  /** A UUID that all log lines of this reconcile have; default: they have none. */
  readonly reconcileID?: string;
}

/** The occasion of a new reconcile. Its ID is made when it is first read: most reconciles log nothing. */
export function createOccasion(routine: boolean, reserve: Reserve): Occasion {
  let id: string | undefined;
  return {
    routine,
    reserve,
    get reconcileID() {
      id ??= randomUUID();
      return id;
    },
  };
}

/** Somebody changed something, or wants to know. */
export const wanted: Occasion = { routine: false, reserve: reserveNothing };

/**
 * Brings one object towards what it asks for. Level-based: it is given only a key, may be called at any time, more
 * or less often than something changed, and never twice at a time for one key.
 *
 * @param key `namespace/name`, or `name`
 * @param signal ends with the reconcile's deadline and when the process must stop at once
 */
export type Reconcile = (key: string, signal: AbortSignal, occasion: Occasion) => Promise<ReconcileResult>;
