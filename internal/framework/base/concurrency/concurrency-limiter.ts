/**
 * Decides which requests may start: reconciles of all controllers, and calls to external APIs. A request is started when
 * its group has capacity and each of its limit keys has a free slot; all slots are taken at once. A waiting request has
 * neither a worker nor a slot, so requests that need two keys cannot deadlock.
 *
 * Of the requests that could start:
 *
 * 1. higher priorities start first
 * 2. among equal priorities, limit keys take turns: first those with the fewest requests in progress, then new keys and
 *    those that had a turn alternately, each in their order (turns.ts). A turn may be several starts (`startsPerTurn`), since
 *    requests with the same limit keys share reads while they are in progress together. A limit key with a slow request has
 *    turns of one start.
 * 3. among requests with the same limit keys, the oldest starts first
 *
 * While high-priority requests (priority 0 and above) of a group are in progress, its low-priority ones get few slots:
 * priority-throttle.ts.
 */

import { createHeap } from '../collections/heap.ts';
import type { Deps } from '../deps.ts';
import {
  type Bucket,
  type BucketQueue,
  createBucketQueue,
  goesBefore,
  type LimitedRequest,
  type Turn,
} from './bucket-queue.ts';
import type { LimitKey } from './limit-key.ts';
import { createLimitSlots } from './limit-slots.ts';
import { createPriorityThrottle } from './priority-throttle.ts';
import type { TokenBucket } from './token-bucket.ts';
import { createTurns } from './turns.ts';

export type { LimitedRequest } from './bucket-queue.ts';

export interface ConcurrencyLimiter {
  /** Requests that share a capacity, e.g. the workers of a controller. */
  group<T extends LimitedRequest>(options: RequestGroupOptions<T>): RequestGroup<T>;
  /** The slots of the limit key have grown: waiting requests may start. */
  grown(limitKey: string): void;
}

export interface RequestGroupOptions<T> {
  /** The number of further requests that the group can start now. */
  readonly capacity: () => number;
  /**
   * Starts a request; must not throw.
   *
   * @param openSince when its limit keys had slots again, by the monotonic clock; undefined: they always had slots
   */
  readonly start: (request: T, openSince: number | undefined) => void;
  /** Maximum of low-priority requests in progress while a high-priority one is; default: no limit. */
  readonly lowSlots?: number;
  /** Requests with the same limit keys that start in one turn; default 1. */
  readonly startsPerTurn?: number;
  /** For paced requests; default: they need no token. */
  readonly rate?: TokenBucket | undefined;
}

export interface RequestGroup<T> {
  /** Adds a waiting request; starts it as soon as possible. */
  add(request: T): void;
  /** Removes a waiting request. */
  remove(request: T): void;
  /** The capacity of the group may have grown. */
  dispatch(): void;
  /** A request that was started has ended: its slots are free. No effect if it has ended before. */
  end(request: T): void;
  /**
   * Takes slots of further limit keys for a request in progress; all of them or none. Of a key whose requests end quickly,
   * requests with this priority or a higher one may have up to twice its slots, since a refused reconcile has worked in
   * vain. No slot beyond the key's is given while a request with a higher priority waits for one to start.
   */
  reserve(request: T, limitKeys: readonly LimitKey[]): boolean;
  /** Releases slots of a request in progress. */
  release(request: T, limitKeys: readonly Pick<LimitKey, 'name'>[]): void;
  /** Waiting requests. */
  size(): number;
  /** Waiting requests with a full limit key. */
  waitingForSlots(): number;
  /** Removes the group and returns its waiting requests. `end` must still be called for requests in progress. */
  close(): T[];
}

export interface ConcurrencyLimiterOptions extends Pick<Deps, 'clock'> {}

/** The factor by which `reserve` may exceed the slots of a key whose requests end quickly. */
const OVERCOMMIT = 2;

/** The limiter's interface of a group. */
interface Candidates {
  /** The first bucket of the group that may start a request. */
  best(): Turn | undefined;
  /** Starts the first request of the bucket that `best` returned last. */
  start(): void;
  /** The limit key may have slots again. */
  open(name: string): void;
  /** The highest priority of the requests that wait for a slot of the limit key; -Infinity: none waits. */
  waitingPriority(name: string): number;
}

export function createConcurrencyLimiter({ clock }: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const slots = createLimitSlots(clock);
  const groups = new Set<Candidates>();
  const turns = createTurns();
  let dispatching = false;
  let again = false;
  /** Set while a dispatch is scheduled. */
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const isAwaitedAbove = (priority: number, { name }: LimitKey) => {
    for (const group of groups) if (group.waitingPriority(name) > priority) return true;
    return false;
  };
  const free = (request: LimitedRequest, key: LimitKey) => {
    for (const name of slots.free(request, key)) for (const group of groups) group.open(name);
  };
  /** Dispatches after the delay, unless an earlier dispatch comes first. */
  const dispatchAfter = (delayMs: number) => {
    const at = clock.monotonic() + delayMs;
    if (timer !== undefined && timer.at <= at) return;
    timer?.cancel();
    timer = { at, cancel: clock.after(delayMs, dispatch) };
  };
  const dispatch = () => {
    again = true;
    if (dispatching) return;
    dispatching = true;
    while (again) {
      again = false;
      timer?.cancel();
      timer = undefined;
      while (startNext());
    }
    dispatching = false;
  };
  const startNext = (): boolean => {
    let first: Candidates | undefined;
    let best: Turn | undefined;
    for (const group of groups) {
      const turn = group.best();
      if (turn === undefined || (best !== undefined && !goesBefore(turn, best))) continue;
      first = group;
      best = turn;
    }
    if (first === undefined || best === undefined) return false;
    first.start();
    return true;
  };

  return {
    grown: (name) => {
      for (const group of groups) group.open(name);
      dispatch();
    },
    group: <T extends LimitedRequest>(options: RequestGroupOptions<T>): RequestGroup<T> => {
      const { capacity, start, lowSlots = Number.POSITIVE_INFINITY, startsPerTurn = 1, rate } = options;
      const throttle = createPriorityThrottle(clock, lowSlots);
      const buckets = new Map<string, Bucket<T>>();
      const loadOf = ({ running }: Bucket<T>) =>
        startsPerTurn > 1 && !slots.isSlow(running) ? Math.floor(running.size / startsPerTurn) : running.size;
      const isFull = (key: LimitKey) => slots.isFull(key);
      const newQueue = () => createBucketQueue<T>({ now: clock.monotonic, isFull, loadOf });
      const unpaced = newQueue();
      const paced = newQueue();
      const queueOf = (of: { readonly paced: boolean }) => (of.paced ? paced : unpaced);
      /** The result of `best`. */
      let chosen: Bucket<T> | undefined;
      /** The bucket whose turn it is. */
      let current: Bucket<T> | undefined;
      const started = new Map<T, Bucket<T>>();
      /** Limit keys of requests in progress, if `reserve` or `release` changed them. */
      const changedKeys = new Map<T, LimitKey[]>();
      let size = 0;

      const change = (bucket: Bucket<T>, by: () => void) => {
        queueOf(bucket).change(bucket, by);
        if (bucket.waiting.size > 0 || bucket.running.size > 0) return;
        buckets.delete(bucket.name);
        if (current === bucket) current = undefined;
      };
      const bucketOf = ({ limitKeys, paced }: T): Bucket<T> => {
        const name = nameOf(limitKeys, paced);
        const known = buckets.get(name);
        if (known !== undefined) return known;
        const bucket: Bucket<T> = {
          name,
          limitKeys,
          paced,
          waiting: createHeap<T>(
            (a, b) => a.priority > b.priority || (a.priority === b.priority && a.turn < b.turn),
          ),
          running: new Map(),
          heapIndex: -1,
          load: 0,
          position: turns.ofNew(),
          startsLeft: 0,
          inTurn: false,
          blockedBy: undefined,
          openSince: undefined,
        };
        buckets.set(name, bucket);
        return bucket;
      };
      const mustWait = (waitMs: number) => {
        if (waitMs > 0) dispatchAfter(waitMs);
        return waitMs > 0;
      };
      /** The first bucket of the queue. None if it is throttled: the other buckets of the queue have no higher priority. */
      const firstOf = (queue: BucketQueue<T>): Bucket<T> | undefined => {
        const bucket = queue.first();
        const priority = bucket?.waiting.peek()?.priority ?? 0;
        return priority < 0 && mustWait(throttle.waitMs()) ? undefined : bucket;
      };
      const best = (): Bucket<T> | undefined => {
        if (size === 0 || capacity() <= 0) return undefined;
        const first = firstOf(unpaced);
        const second = firstOf(paced);
        if (second === undefined || (first !== undefined && goesBefore(first, second))) return first;
        return mustWait(rate?.waitMs() ?? 0) ? first : second;
      };
      const takeTurn = (bucket: Bucket<T>) => {
        if (!bucket.inTurn) {
          turns.taken(bucket.position);
          bucket.inTurn = true;
          bucket.startsLeft = startsPerTurn;
        }
        bucket.startsLeft--;
        if (bucket.startsLeft === 0) endTurn(bucket);
      };
      const endTurn = (bucket: Bucket<T>) => {
        if (bucket.inTurn && bucket.waiting.size > 0) bucket.position = turns.ofReturning();
        bucket.inTurn = false;
      };
      const begin = (bucket: Bucket<T>) => {
        const request = bucket.waiting.peek();
        if (request === undefined) return;
        const last = current;
        current = bucket;
        if (last !== undefined && last !== bucket) change(last, () => endTurn(last));
        change(bucket, () => {
          bucket.waiting.pop();
          bucket.running.set(request, clock.monotonic());
          takeTurn(bucket);
        });
        size--;
        for (const key of bucket.limitKeys) slots.take(request, key);
        if (bucket.paced) rate?.take();
        throttle.onStarted(request);
        started.set(request, bucket);
        start(request, bucket.openSince);
      };
      /** The limit keys whose slots the request has. */
      const heldBy = (request: T, bucket: Bucket<T>) => changedKeys.get(request) ?? bucket.limitKeys;
      const candidates: Candidates = {
        best: () => {
          chosen = best();
          return chosen;
        },
        start: () => {
          if (chosen !== undefined) begin(chosen);
        },
        open: (name) => {
          unpaced.open(name);
          paced.open(name);
        },
        waitingPriority: (name) => Math.max(unpaced.waitingPriority(name), paced.waitingPriority(name)),
      };
      groups.add(candidates);

      return {
        add: (request) => {
          const bucket = bucketOf(request);
          change(bucket, () => {
            const returns = bucket.waiting.size === 0 && bucket.running.size > 0 && !bucket.inTurn;
            if (returns) bucket.position = turns.ofReturning();
            bucket.waiting.push(request);
          });
          size++;
          dispatch();
        },
        remove: (request) => {
          if (request.heapIndex < 0) return;
          const bucket = bucketOf(request);
          change(bucket, () => bucket.waiting.remove(request));
          size--;
        },
        dispatch: () => {
          if (size > 0) dispatch();
        },
        end: (request) => {
          const bucket = started.get(request);
          if (bucket === undefined) return;
          started.delete(request);
          for (const key of heldBy(request, bucket)) free(request, key);
          changedKeys.delete(request);
          change(bucket, () => bucket.running.delete(request));
          throttle.onEnded(request);
          dispatch();
        },
        reserve: (request, limitKeys) => {
          const bucket = started.get(request);
          if (bucket === undefined) return false;
          const held = heldBy(request, bucket);
          const lacking = limitKeys.filter(({ name }) => !held.some((key) => key.name === name));
          const mayHold = (key: LimitKey) =>
            !slots.isFull(key, request) ||
            (slots.isQuick(key) &&
              slots.heldFrom(request.priority, key) < OVERCOMMIT * key.slots &&
              !isAwaitedAbove(request.priority, key));
          if (!lacking.every(mayHold)) return false;
          for (const key of lacking) slots.take(request, key);
          if (lacking.length > 0) changedKeys.set(request, [...held, ...lacking]);
          return true;
        },
        release: (request, limitKeys) => {
          const bucket = started.get(request);
          if (bucket === undefined) return;
          const isReleased = (key: LimitKey) => limitKeys.some(({ name }) => name === key.name);
          const held = heldBy(request, bucket);
          for (const key of held.filter(isReleased)) free(request, key);
          changedKeys.set(
            request,
            held.filter((key) => !isReleased(key)),
          );
          dispatch();
        },
        size: () => size,
        waitingForSlots: () =>
          [...buckets.values()].reduce(
            (sum, { limitKeys, waiting }) => sum + (limitKeys.some(isFull) ? waiting.size : 0),
            0,
          ),
        close: () => {
          groups.delete(candidates);
          const dropped: T[] = [];
          for (const bucket of [...buckets.values()]) {
            change(bucket, () => {
              for (let next = bucket.waiting.pop(); next !== undefined; next = bucket.waiting.pop())
                dropped.push(next);
            });
          }
          size = 0;
          // Cancels the timer unless another group needs it.
          dispatch();
          return dropped;
        },
      };
    },
  };
}

function nameOf(limitKeys: readonly LimitKey[], paced: boolean): string {
  const suffix = paced ? 'paced' : '';
  return limitKeys.length === 0 ? suffix : `${limitKeys.map(({ name }) => name).join('\n')}\n${suffix}`;
}
