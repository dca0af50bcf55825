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
import type { Metrics } from '../../base/telemetry/telemetry.ts';
import type { Backoff } from '../../base/time/backoff.ts';
import type { Clock } from '../../base/time/clock.ts';

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

interface WorkQueue {
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

/** The `workqueue_*` metrics of one queue. Names are those of client-go. */
interface QueueMetrics {
  /** Until `work` there are no workers, as in a replica that does not lead: no request counts as one that waits. */
  hold(): void;
  work(): void;
  added(): void;
  retried(): void;
  /** The request is due. */
  queued(key: string, priority: number): void;
  reprioritized(from: number, to: number): void;
  /** @param openSince when its limit keys had slots again; undefined: they always had */
  taken(key: string, priority: number, openSince: number | undefined): void;
  /** The request left the queue without being reconciled. */
  dropped(key: string, priority: number): void;
  finished(key: string): void;
  /** Removes the gauges of an ended queue; counters stay. */
  close(): void;
}

/** The buckets of client-go: 10 ns to 1000 s in steps of ten. */
const DURATION_BUCKETS = Array.from({ length: 12 }, (_, i) => 1e-8 * 10 ** i);

/** @param name of the controller, the value of the labels `name` and `controller` */
export function createQueueMetrics(metrics: Metrics, clock: Clock, name: string): QueueMetrics {
  const own = { name, controller: name };
  const labels = ['name', 'controller'];
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Requests that are due and not in progress.',
    labels: [...labels, 'priority'],
  });
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Requests added.', labels });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Requests added after a failure.',
    labels,
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that requests waited for a worker, without the wait for slots of their limit keys.',
    labels,
    buckets: DURATION_BUCKETS,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long keys were in progress.',
    labels,
    buckets: DURATION_BUCKETS,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Time spent so far on all keys in progress.',
    labels,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Longest time spent so far on one key in progress.',
    labels,
  });
  const queuedAt = new Map<string, number>();
  const takenAt = new Map<string, number>();
  const seconds = (since: number) => (clock.monotonic() - since) / 1000;
  /** Requests in the queue by priority. A priority that was used once stays, with 0. */
  const depths = new Map<number, number>();
  const count = (priority: number, by: number) => void depths.set(priority, (depths.get(priority) ?? 0) + by);
  let isHeld = false;
  let workSince = 0;
  const removeScrapeHook = metrics.onScrape(() => {
    for (const [priority, keys] of depths)
      depth.set(isHeld ? 0 : keys, { ...own, priority: String(priority) });
    const running = [...takenAt.values()].map(seconds);
    unfinished.set(
      running.reduce((sum, s) => sum + s, 0),
      own,
    );
    longest.set(Math.max(0, ...running), own);
  });
  return {
    hold: () => {
      isHeld = true;
    },
    work: () => {
      isHeld = false;
      workSince = clock.monotonic();
    },
    added: () => adds.inc(own),
    retried: () => retries.inc(own),
    queued: (key, priority) => {
      queuedAt.set(key, clock.monotonic());
      count(priority, 1);
    },
    reprioritized: (from, to) => {
      count(from, -1);
      count(to, 1);
    },
    taken: (key, priority, openSince = 0) => {
      const since = queuedAt.get(key) ?? clock.monotonic();
      waited.observe(seconds(Math.max(since, openSince, workSince)), own);
      queuedAt.delete(key);
      takenAt.set(key, clock.monotonic());
      count(priority, -1);
    },
    dropped: (key, priority) => {
      queuedAt.delete(key);
      count(priority, -1);
    },
    finished: (key) => {
      worked.observe(seconds(takenAt.get(key) ?? clock.monotonic()), own);
      takenAt.delete(key);
    },
    close: () => {
      removeScrapeHook();
      for (const gauge of [unfinished, longest]) gauge.remove(own);
      for (const priority of depths.keys()) depth.remove({ ...own, priority: String(priority) });
    },
  };
}
