/**
 * Decides which requests may start: reconciles of all controllers, and calls to external APIs. A request is started when
 * its group has capacity and each of its limit keys has a free slot; all slots are taken at once. A waiting request has
 * neither a worker nor a slot, so requests that need two keys cannot deadlock.
 *
 * Of the requests that could start:
 *
 * 1. higher priorities start first
 * 2. among equal priorities, limit keys take turns: first those with the fewest requests in progress, then new keys and
 *    those that had a turn alternately, each in their order (`Turns`). A turn may be several starts (`startsPerTurn`), since
 *    requests with the same limit keys share reads while they are in progress together. A limit key with a slow request has
 *    turns of one start.
 * 3. among requests with the same limit keys, the oldest starts first
 *
 * While high-priority requests (priority 0 and above) of a group are in progress, its low-priority ones get few slots:
 * `PriorityThrottle`.
 */

import { createHeap } from '../collections/heap.ts';
import { createLruCache } from '../collections/lru-cache.ts';
import type { Deps } from '../deps.ts';
import type { Clock } from '../time/clock.ts';
import {
  type Bucket,
  type BucketQueue,
  createBucketQueue,
  createTurns,
  goesBefore,
  type LimitedRequest,
  type Turn,
} from './bucket-queue.ts';
import type { LimitKey } from './limit-key.ts';
import type { TokenBucket } from './token-bucket.ts';

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

/** Requests that take longer are slow, in ms. For this time a high-priority request throttles low-priority ones. */
export const SLOW_AFTER_MS = 2000;
/** Memory for about 5,000 keys without requests whose last request was quick. */
const MAX_IDLE_BYTES = 2 * 1024 * 1024;

/** The slots of limit keys, with the requests in progress that hold them. */
interface LimitSlots {
  /**
   * Whether the key, or the slots that it shares, are full.
   *
   * @param holder a request in progress, which keeps its shared slot for further keys; default: one that waits
   */
  isFull(key: LimitKey, holder?: LimitedRequest): boolean;
  /** Whether the last request of the key that ended was quick, and none in progress is slow. */
  isQuick(key: LimitKey): boolean;
  /** The requests with this priority or a higher one that hold a slot of the key. */
  heldFrom(priority: number, key: LimitKey): number;
  /** Without a check whether the key is full. */
  take(request: LimitedRequest, key: LimitKey): void;
  /** Returns the names of the keys that may have slots again; none if the request held no slot of the key. */
  free(request: LimitedRequest, key: Pick<LimitKey, 'name'>): readonly string[];
  /** @param holders with the time of their start, the oldest first */
  isSlow(holders: ReadonlyMap<LimitedRequest, number>): boolean;
}

/** Requests in progress of one limit key. */
interface KeyState {
  /** With the time of their start, the oldest first. */
  readonly holders: Map<LimitedRequest, number>;
  /** Those that hold a shared slot as well. */
  readonly sharing: Map<LimitedRequest, SharedSlots>;
  /** Whether the last request that ended was quick. */
  quick: boolean;
}

interface SharedSlots {
  /** Requests with the number of their keys: each of them holds one slot. */
  readonly holders: Map<LimitedRequest, number>;
  /** Names of keys that were full because the shared slots were. */
  readonly waiting: Set<string>;
}

function createLimitSlots(clock: Clock): LimitSlots {
  const keys = new Map<string, KeyState>();
  /** Keys without requests in progress whose last request was quick. */
  const idle = createLruCache<string, true>({ maxBytes: MAX_IDLE_BYTES });
  const shares = new Map<string, SharedSlots>();

  const isSlow: LimitSlots['isSlow'] = (holders) => {
    for (const since of holders.values()) return clock.monotonic() - since >= SLOW_AFTER_MS;
    return false;
  };
  const isQuick: LimitSlots['isQuick'] = ({ name }) => {
    const state = keys.get(name);
    return state === undefined ? idle.has(name) : state.quick && !isSlow(state.holders);
  };
  const sharedBy = ({ shared }: LimitKey): SharedSlots | undefined => {
    if (shared === undefined) return undefined;
    const known = shares.get(shared.name) ?? { holders: new Map(), waiting: new Set() };
    shares.set(shared.name, known);
    return known;
  };
  const waitsForShared = (key: LimitKey, holder: LimitedRequest | undefined): boolean => {
    const shared = sharedBy(key);
    if (shared === undefined || shared.holders.size < (key.shared?.slots ?? 0) || isQuick(key)) return false;
    if (holder !== undefined && shared.holders.has(holder)) return false;
    shared.waiting.add(key.name);
    return true;
  };
  return {
    isFull: (key, holder) =>
      (keys.get(key.name)?.holders.size ?? 0) >= key.slots || waitsForShared(key, holder),
    isQuick,
    heldFrom: (priority, { name }) =>
      [...(keys.get(name)?.holders.keys() ?? [])].filter((holder) => holder.priority >= priority).length,
    take: (request, key) => {
      const { name } = key;
      const shared = isQuick(key) ? undefined : sharedBy(key);
      const state = keys.get(name) ?? { holders: new Map(), sharing: new Map(), quick: idle.has(name) };
      keys.set(name, state);
      state.holders.set(request, clock.monotonic());
      if (shared === undefined) return;
      shared.holders.set(request, (shared.holders.get(request) ?? 0) + 1);
      state.sharing.set(request, shared);
    },
    free: (request, { name }) => {
      const state = keys.get(name);
      const since = state?.holders.get(request);
      if (state === undefined || since === undefined) return [];
      state.quick = clock.monotonic() - since < SLOW_AFTER_MS;
      state.holders.delete(request);
      if (state.holders.size === 0) {
        keys.delete(name);
        if (state.quick) idle.set(name, true);
        else idle.delete(name);
      }
      const shared = state.sharing.get(request);
      if (shared === undefined) return [name];
      state.sharing.delete(request);
      const left = (shared.holders.get(request) ?? 0) - 1;
      if (left > 0) {
        shared.holders.set(request, left);
        return [name];
      }
      shared.holders.delete(request);
      const opened = [name, ...shared.waiting];
      shared.waiting.clear();
      return opened;
    },
    isSlow,
  };
}

/**
 * Limits the low-priority requests of a group while one of high priority (0 and above) is in progress, since they share one
 * CPU. A high-priority request counts for `SLOW_AFTER_MS` only, so that one that hangs does not throttle the others.
 */
interface PriorityThrottle {
  /** Time until the next low-priority request may start, in ms, unless a request in progress ends before; 0: now. */
  waitMs(): number;
  onStarted(request: LimitedRequest): void;
  onEnded(request: LimitedRequest): void;
}

/** @param lowSlots maximum of low-priority requests while a high-priority one is in progress; Infinity: no limit */
function createPriorityThrottle(clock: Clock, lowSlots: number): PriorityThrottle {
  /** High-priority requests that throttle, with the time of their start, the oldest first. */
  const high = new Map<LimitedRequest, number>();
  let low = 0;
  return {
    waitMs: () => {
      if (low < lowSlots) return 0;
      for (const [request, since] of high) {
        const leftMs = since + SLOW_AFTER_MS - clock.monotonic();
        if (leftMs > 0) return leftMs;
        high.delete(request);
      }
      return 0;
    },
    onStarted: (request) => {
      if (request.priority < 0) low++;
      else if (lowSlots !== Number.POSITIVE_INFINITY) high.set(request, clock.monotonic());
    },
    onEnded: (request) => {
      if (request.priority < 0) low--;
      else high.delete(request);
    },
  };
}
