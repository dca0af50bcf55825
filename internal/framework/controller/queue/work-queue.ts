/**
 * The work queue of a controller. It holds requests (keys), not objects: each event of an object adds its request,
 * and the reconcile reads the newest version of the object. The contract is that of the priority queue of
 * controller-runtime:
 *
 * - a request is in the queue at most once; of several delays the shortest counts, of several priorities the highest
 * - a request is never in progress twice; added while in progress, it is reconciled again after `done`
 * - higher priorities leave first, equal ones in the order in which they became due
 * - delayed requests share one timer
 *
 * The concurrency limiter selects which due request a free worker reconciles.
 */

import { createHeap, type HeapItem } from '../../base/collections/heap.ts';
import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { LimitKey } from '../../base/concurrency/limit-key.ts';
import type { TokenBucket } from '../../base/concurrency/token-bucket.ts';
import type { Deps } from '../../base/deps.ts';
import type { Backoff } from '../../base/time/backoff.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** For requests of the first list and of resyncs. */
export const LOW_PRIORITY = -100;

/** For polls: first reconciles have priority over them. */
export const POLL_PRIORITY = -200;

/** Number of reconciles with the same limit keys that start together and share what they read. */
const STARTS_PER_TURN = 16;

export interface AddOptions {
  /** Default 0. */
  readonly priority?: number;
  /** Limited by the shared rate. A request added both ways is not paced. */
  readonly paced?: boolean;
}

/** A request in progress. The worker must call `done`. */
export interface RequestInProgress {
  readonly key: string;
  readonly priority: number;
  readonly paced: boolean;
}

export interface WorkQueue {
  add(key: string, options?: AddOptions): void;
  addAfter(key: string, delayMs: number, options?: AddOptions): void;
  /** Adds the request after its backoff, and counts a failure. */
  addRateLimited(key: string, options?: AddOptions): void;
  /** Resets the backoff of the request. */
  forget(key: string): void;
  /** Waits for the next request; `undefined` after shutdown. */
  take(): Promise<RequestInProgress | undefined>;
  /** Reserves slots of more limit keys for a request in progress, as `reserve` of the limiter. */
  reserve(key: string, limitKeys: readonly LimitKey[]): boolean;
  /** Releases slots of a request in progress before `done`. */
  release(key: string, limitKeys: readonly Pick<LimitKey, 'name'>[]): void;
  done(key: string): void;
  /** Number of requests that are due. */
  depth(): number;
  /** Number of due requests that wait for a slot of a limit key. */
  waitingForSlots(): number;
  /** Number of delayed requests. */
  delayed(): number;
  /** Drops waiting requests, and resolves when none is in progress. */
  shutdown(): Promise<void>;
}

export interface WorkQueueOptions extends Pick<Deps, 'clock'> {
  readonly backoff: Backoff;
  readonly metrics: QueueMetrics;
  readonly limiter: ConcurrencyLimiter;
  /** The limit keys of a request. Called when the request is due; default: none. */
  readonly limitKeysOf?: (key: string) => readonly LimitKey[];
  /** Upper bound for low-priority requests in progress while a high-priority one is; default: no limit. */
  readonly lowSlots?: number;
  /** Rate of paced requests; default: no limit. */
  readonly rate?: TokenBucket | undefined;
}

interface Item extends HeapItem {
  readonly key: string;
  priority: number;
  paced: boolean;
  /** When it is due; `undefined` once it is. */
  dueAt: number | undefined;
  /** Orders items of one priority. */
  turn: number;
  /** As they were when the key became due. */
  limitKeys: readonly LimitKey[];
}

const NO_KEYS: readonly LimitKey[] = [];

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, backoff, metrics, limiter, limitKeysOf = () => NO_KEYS, lowSlots, rate } = options;
  /** Requests that were added and are not in progress. */
  const waiting = new Map<string, Item>();
  const inProgress = new Map<string, Item>();
  const idleWorkers: ((taken: RequestInProgress | undefined) => void)[] = [];
  const drained = Promise.withResolvers<void>();
  const delayed = createHeap<Item>((a, b) => (a.dueAt ?? 0) < (b.dueAt ?? 0));
  let turns = 0;
  let down = false;
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const due = limiter.group<Item>({
    capacity: () => idleWorkers.length,
    start: (item, openSince) => {
      const { key, priority } = item;
      waiting.delete(key);
      inProgress.set(key, item);
      metrics.taken(key, priority, openSince);
      idleWorkers.shift()?.(item);
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
  /** An item must leave the limiter before it changes. */
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
        idleWorkers.push(resolve);
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
      for (const give of idleWorkers.splice(0)) give(undefined);
      if (inProgress.size === 0) drained.resolve();
      return drained.promise;
    },
  };
}
