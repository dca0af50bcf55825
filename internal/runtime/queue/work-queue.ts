/**
 * The queue between watches and workers. It holds keys, not objects: each event of an object adds its key, and a worker
 * that takes the key reads the newest version of the object. The contract is that of the priority queue of
 * controller-runtime:
 *
 * - a key waits at most once, however often it was added; of several delays the shortest counts, of several
 *   priorities the highest
 * - a key is never given to two workers at a time; added while it is in progress, it is given again after `done`
 * - higher priorities leave first, equal ones in the order in which they became due
 * - delayed keys share one timer
 *
 * Which of the keys that are due is given to a free worker is decided by the concurrency limiter.
 */

import { createHeap, type HeapItem } from '../../base/collections/heap.ts';
import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { LimitKey } from '../../base/concurrency/limit-key.ts';
import type { TokenBucket } from '../../base/concurrency/token-bucket.ts';
import type { Deps } from '../../base/deps.ts';
import type { Backoff } from '../../base/time/backoff.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** For requests that yield to all others: those of the first list, and resyncs. */
export const LOW_PRIORITY = -100;

/** For polls: first reconciles have priority over them. */
export const POLL_PRIORITY = -200;

/** Reconciles with the same limit keys that start together, and share what they read: as many as use one object, usually. */
const STARTS_PER_TURN = 16;

export interface AddOptions {
  /** Default 0. */
  readonly priority?: number;
  /** Limited by the rate that all controllers share. A key added both ways counts as not paced. */
  readonly paced?: boolean;
}

/** A key that a worker has taken. The worker must call `done`. */
export interface RequestInProgress {
  readonly key: string;
  readonly priority: number;
  readonly paced: boolean;
}

export interface WorkQueue {
  add(key: string, options?: AddOptions): void;
  addAfter(key: string, delayMs: number, options?: AddOptions): void;
  /** Adds the key after the wait that its failures have earned, and counts one more. */
  addRateLimited(key: string, options?: AddOptions): void;
  /** Failures of the key no longer count. */
  forget(key: string): void;
  /** The next key; waits for one, and is `undefined` once the queue was shut down. */
  take(): Promise<RequestInProgress | undefined>;
  /** Takes slots under more limit keys for a key in progress, as `reserve` of the limiter does. */
  reserve(key: string, limitKeys: readonly LimitKey[]): boolean;
  /** Gives slots of a key in progress back before `done`. */
  release(key: string, limitKeys: readonly Pick<LimitKey, 'name'>[]): void;
  done(key: string): void;
  /** Keys that are due. */
  depth(): number;
  /** Those of them that wait for a slot of a limit key. */
  waitingForSlots(): number;
  /** Keys that wait for their time. */
  delayed(): number;
  /** Gives out no more keys, drops those that wait, and resolves when every taken one is done. */
  shutdown(): Promise<void>;
}

export interface WorkQueueOptions extends Pick<Deps, 'clock'> {
  readonly backoff: Backoff;
  readonly metrics: QueueMetrics;
  readonly limiter: ConcurrencyLimiter;
  /** What a key's reconcile depends on, asked when the key is due; default: nothing. */
  readonly limitKeysOf?: (key: string) => readonly LimitKey[];
  /** Keys of low priority in progress at most while one of high priority is; default: no limit. */
  readonly lowSlots?: number;
  /** For paced keys; default: no limit. */
  readonly rate?: TokenBucket | undefined;
}

interface Item extends HeapItem {
  readonly key: string;
  priority: number;
  paced: boolean;
  /** When it may be taken; `undefined` once it may. */
  dueAt: number | undefined;
  /** Orders items of one priority. */
  turn: number;
  /** As they were when the key became due. */
  limitKeys: readonly LimitKey[];
}

const NO_KEYS: readonly LimitKey[] = [];

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, backoff, metrics, limiter, limitKeysOf = () => NO_KEYS, lowSlots, rate } = options;
  /** Every key that was added and not yet taken. */
  const waiting = new Map<string, Item>();
  const inProgress = new Map<string, Item>();
  const takers: ((taken: RequestInProgress | undefined) => void)[] = [];
  const drained = Promise.withResolvers<void>();
  const delayed = createHeap<Item>((a, b) => (a.dueAt ?? 0) < (b.dueAt ?? 0));
  let turns = 0;
  let down = false;
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const due = limiter.group<Item>({
    capacity: () => takers.length,
    start: (item, openSince) => {
      const { key, priority } = item;
      waiting.delete(key);
      inProgress.set(key, item);
      metrics.taken(key, priority, openSince);
      takers.shift()?.(item);
    },
    rate,
    startsPerTurn: STARTS_PER_TURN,
    ...(lowSlots === undefined ? {} : { lowSlots }),
  });
  const makeDue = (item: Item) => {
    item.dueAt = undefined;
    item.turn = turns++;
    if (inProgress.has(item.key)) return;
    item.limitKeys = limitKeysOf(item.key);
    metrics.queued(item.key, item.priority);
    due.add(item);
  };
  const setTimer = () => {
    const at = delayed.peek()?.dueAt;
    if (timer?.at === at) return;
    timer?.cancel();
    timer = at === undefined ? undefined : { at, cancel: clock.after(at - clock.monotonic(), release) };
  };
  const release = () => {
    timer = undefined;
    for (let item = delayed.peek(); item !== undefined; item = delayed.peek()) {
      if ((item.dueAt ?? 0) > clock.monotonic()) break;
      delayed.remove(item);
      makeDue(item);
    }
    setTimer();
  };
  /** An item that waits in the limiter changes only outside of it. */
  const raise = (item: Item, priority: number, paced: boolean) => {
    if (priority <= item.priority && (paced || !item.paced)) return;
    const isDue = item.heapIndex >= 0 && item.dueAt === undefined;
    if (isDue) due.remove(item);
    if (isDue && priority > item.priority) metrics.reprioritized(item.priority, priority);
    item.priority = Math.max(item.priority, priority);
    item.paced &&= paced;
    if (isDue) due.add(item);
  };
  const schedule = (key: string, delayMs: number, { priority = 0, paced = false }: AddOptions = {}) => {
    if (down) return;
    const dueAt = delayMs > 0 ? clock.monotonic() + delayMs : undefined;
    const known = waiting.get(key);
    if (known === undefined) {
      const item: Item = { key, priority, paced, dueAt, turn: 0, heapIndex: -1, limitKeys: NO_KEYS };
      waiting.set(key, item);
      metrics.added();
      if (dueAt === undefined) makeDue(item);
      else delayed.push(item);
    } else {
      raise(known, priority, paced);
      if (known.dueAt !== undefined && (dueAt === undefined || dueAt < known.dueAt)) {
        delayed.remove(known);
        known.dueAt = dueAt;
        if (dueAt === undefined) makeDue(known);
        else delayed.push(known);
      }
    }
    setTimer();
  };
  return {
    add: (key, options) => schedule(key, 0, options),
    addAfter: schedule,
    addRateLimited: (key, options) => {
      metrics.retried();
      schedule(key, backoff.next(key), options);
    },
    forget: (key) => backoff.forget(key),
    take: () => {
      if (down) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        takers.push(resolve);
        due.dispatch();
      });
    },
    reserve: (key, limitKeys) => {
      const item = inProgress.get(key);
      return item !== undefined && due.reserve(item, limitKeys);
    },
    release: (key, limitKeys) => {
      const item = inProgress.get(key);
      if (item !== undefined) due.release(item, limitKeys);
    },
    done: (key) => {
      const item = inProgress.get(key);
      if (item === undefined) return;
      inProgress.delete(key);
      metrics.finished(key);
      const again = waiting.get(key);
      if (again !== undefined && again.dueAt === undefined) makeDue(again);
      due.end(item);
      if (down && inProgress.size === 0) drained.resolve();
    },
    depth: () => due.size(),
    waitingForSlots: () => due.waitingForSlots(),
    delayed: () => delayed.size,
    shutdown: () => {
      down = true;
      timer?.cancel();
      for (const { key, priority } of due.close()) metrics.dropped(key, priority);
      for (let item = delayed.pop(); item !== undefined; item = delayed.pop());
      waiting.clear();
      for (const give of takers.splice(0)) give(undefined);
      if (inProgress.size === 0) drained.resolve();
      return drained.promise;
    },
  };
}
