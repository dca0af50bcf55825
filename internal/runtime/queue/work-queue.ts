/**
 * The queue between watches and workers. It holds keys, not objects: whatever happens to an object adds its key,
 * and a worker that takes the key reads the object as it is by then. The contract is that of the priority queue of
 * controller-runtime:
 *
 * - a key waits at most once, however often it was added; of several delays the shortest counts, of several
 *   priorities the highest
 * - a key is never given to two workers at a time; added while it is worked on, it is given again after `done`
 * - higher priorities leave first, equal ones in the order in which they became due
 * - delayed keys share one timer
 */
import type { Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { createHeap, type HeapItem } from './heap.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** For work that may wait for everything else: first lists, resyncs. */
export const LOW_PRIORITY = -100;

/** For polls, which may wait even for that: what was never looked at goes before what is looked at again. */
export const POLL_PRIORITY = -200;

export interface AddOptions {
  /** Default 0. */
  readonly priority?: number;
  /** Routine work that a shared allowance may slow down. A key added both ways counts as not paced. */
  readonly paced?: boolean;
}

/** A key in the hands of a worker, which must call `done` with it. */
export interface Taken {
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
  take(): Promise<Taken | undefined>;
  done(key: string): void;
  /** What kept keys from being given out may have ended. */
  review(): void;
  /** Keys that could be taken now. */
  depth(): number;
  /** Keys that wait for their time. */
  delayed(): number;
  /** Gives out no more keys, drops those that wait, and resolves when every taken one is done. */
  shutdown(): Promise<void>;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly metrics: QueueMetrics;
  /**
   * Asked before the next key is given out. If it may not, all keys wait, as no other is more urgent; `review` has it
   * asked again. Default: it may.
   */
  readonly mayGive?: (key: string, priority: number) => boolean;
}

interface Item extends HeapItem {
  readonly key: string;
  priority: number;
  paced: boolean;
  /** When it may be taken; `undefined` once it may. */
  dueAt: number | undefined;
  /** Orders items of one priority. */
  turn: number;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, backoff, metrics, mayGive = () => true } = options;
  /** Every key that was added and not yet taken. */
  const waiting = new Map<string, Item>();
  const processing = new Set<string>();
  const takers: ((taken: Taken | undefined) => void)[] = [];
  const drained = Promise.withResolvers<void>();
  const ready = createHeap<Item>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.turn < b.turn),
  );
  const delayed = createHeap<Item>((a, b) => (a.dueAt ?? 0) < (b.dueAt ?? 0));
  let turns = 0;
  let down = false;
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const makeReady = (item: Item) => {
    item.dueAt = undefined;
    item.turn = turns++;
    if (processing.has(item.key)) return;
    ready.push(item);
    metrics.queued(item.key, item.priority);
    serve();
  };
  const serve = () => {
    while (takers.length > 0) {
      const item = ready.peek();
      if (item === undefined || !mayGive(item.key, item.priority)) return;
      ready.remove(item);
      waiting.delete(item.key);
      processing.add(item.key);
      metrics.taken(item.key, item.priority);
      takers.shift()?.({ key: item.key, priority: item.priority, paced: item.paced });
    }
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
      makeReady(item);
    }
    setTimer();
  };
  /** A ready item changes its rank only outside of the heap. */
  const raise = (item: Item, priority: number) => {
    if (priority <= item.priority) return;
    const queued = item.dueAt === undefined && item.heapIndex >= 0;
    if (queued) {
      ready.remove(item);
      metrics.reprioritized(item.priority, priority);
    }
    item.priority = priority;
    if (queued) ready.push(item);
  };
  const schedule = (key: string, delayMs: number, { priority = 0, paced = false }: AddOptions = {}) => {
    if (down) return;
    const dueAt = delayMs > 0 ? clock.monotonic() + delayMs : undefined;
    const known = waiting.get(key);
    if (known === undefined) {
      const item: Item = { key, priority, paced, dueAt, turn: 0, heapIndex: -1 };
      waiting.set(key, item);
      metrics.added();
      if (dueAt === undefined) makeReady(item);
      else delayed.push(item);
    } else {
      raise(known, priority);
      known.paced &&= paced;
      if (known.dueAt !== undefined && (dueAt === undefined || dueAt < known.dueAt)) {
        delayed.remove(known);
        known.dueAt = dueAt;
        if (dueAt === undefined) makeReady(known);
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
        serve();
      });
    },
    review: serve,
    done: (key) => {
      if (!processing.delete(key)) return;
      metrics.finished(key);
      const again = waiting.get(key);
      if (again !== undefined && again.dueAt === undefined) makeReady(again);
      if (down && processing.size === 0) drained.resolve();
    },
    depth: () => ready.size,
    delayed: () => delayed.size,
    shutdown: () => {
      down = true;
      timer?.cancel();
      for (let item = ready.pop(); item !== undefined; item = ready.pop())
        metrics.dropped(item.key, item.priority);
      for (let item = delayed.pop(); item !== undefined; item = delayed.pop());
      waiting.clear();
      for (const give of takers.splice(0)) give(undefined);
      if (processing.size === 0) drained.resolve();
      return drained.promise;
    },
  };
}
