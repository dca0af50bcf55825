/**
 * Buckets of waiting requests in the order in which they may start. A bucket without a free slot waits under the full
 * limit key until that key has a free slot. So each start takes logarithmic time in the number of buckets, even if many
 * wait for one key.
 */

import { createHeap, type Heap, type HeapItem } from '../collections/heap.ts';
import type { LimitKey } from './limit-key.ts';

export interface LimitedRequest {
  /** Set by the limiter; initially -1. */
  heapIndex: number;
  /** Below 0: low priority. Constant while the request waits. */
  readonly priority: number;
  /** The order of requests of one priority. Constant while the request waits. */
  readonly turn: number;
  /** Needs a token of the group's rate. Constant while the request waits. */
  readonly paced: boolean;
  readonly limitKeys: readonly LimitKey[];
}

/** Waiting requests of a group with the same limit keys. */
export interface Bucket<T extends LimitedRequest> extends HeapItem {
  readonly name: string;
  readonly limitKeys: readonly LimitKey[];
  readonly paced: boolean;
  readonly waiting: Heap<T>;
  /** Requests in progress, with the time of their start, the oldest first. */
  readonly running: Map<T, number>;
  /** Grows with the requests in progress. */
  load: number;
  /** Its turn continues. */
  inTurn: boolean;
  /** In the order of turns. */
  position: number;
  /** Remaining starts of that turn, unless another bucket of the group has its turn now. */
  startsLeft: number;
  /** The full limit key that it waits for. */
  blockedBy: string | undefined;
  /** When its limit keys had slots again, by the monotonic clock; undefined: they always had slots. */
  openSince: number | undefined;
}

/** The fields that decide which bucket is first. */
export type Turn = Pick<Bucket<LimitedRequest>, 'load' | 'inTurn' | 'position'> & {
  readonly waiting: { peek(): LimitedRequest | undefined };
};

export interface BucketQueue<T extends LimitedRequest> {
  /**
   * Changes fields that decide about the order of a bucket. A bucket without waiting requests is not in the queue.
   */
  change(bucket: Bucket<T>, change: () => void): void;
  /** The limit key may have slots again. */
  open(name: string): void;
  /** The first bucket with free slots. */
  first(): Bucket<T> | undefined;
  /** The highest priority of the requests that wait for a slot of the limit key; -Infinity: none waits. */
  waitingPriority(name: string): number;
}

interface BucketQueueOptions<T extends LimitedRequest> {
  readonly now: () => number;
  readonly isFull: (key: LimitKey) => boolean;
  /** The current load of the bucket. */
  readonly loadOf: (bucket: Bucket<T>) => number;
}

interface Blocked<T extends LimitedRequest> {
  readonly key: LimitKey;
  readonly buckets: Heap<Bucket<T>>;
}

export function createBucketQueue<T extends LimitedRequest>(options: BucketQueueOptions<T>): BucketQueue<T> {
  const { now, isFull, loadOf } = options;
  const ready = createHeap<Bucket<T>>(goesBefore);
  const blocked = new Map<string, Blocked<T>>();
  /** Keys with blocked buckets that may have slots. */
  const opened = new Set<string>();

  const heapOf = ({ blockedBy }: Bucket<T>) =>
    blockedBy === undefined ? ready : blocked.get(blockedBy)?.buckets;
  const block = (bucket: Bucket<T>, key: LimitKey) => {
    const under = blocked.get(key.name) ?? { key, buckets: createHeap<Bucket<T>>(goesBefore) };
    blocked.set(key.name, under);
    bucket.blockedBy = key.name;
    under.buckets.push(bucket);
  };
  /** Returns one bucket of each key at a time, since there may be no slot for the others. */
  const unblock = () => {
    for (const name of opened) {
      const under = blocked.get(name);
      const bucket = under === undefined || isFull(under.key) ? undefined : under.buckets.pop();
      if (under?.buckets.size === 0) blocked.delete(name);
      if (bucket === undefined) {
        opened.delete(name);
        continue;
      }
      bucket.blockedBy = undefined;
      bucket.openSince = now();
      ready.push(bucket);
    }
  };

  return {
    change: (bucket, change) => {
      const heap = heapOf(bucket);
      heap?.remove(bucket);
      change();
      bucket.load = loadOf(bucket);
      if (bucket.waiting.size > 0) (heap ?? ready).push(bucket);
      else bucket.blockedBy = undefined;
    },
    open: (name) => {
      if (blocked.has(name)) opened.add(name);
    },
    first: () => {
      unblock();
      for (let bucket = ready.peek(); bucket !== undefined; bucket = ready.peek()) {
        const full = bucket.limitKeys.find(isFull);
        const load = loadOf(bucket);
        if (full === undefined && load === bucket.load) return bucket;
        ready.remove(bucket);
        bucket.load = load;
        if (full === undefined) ready.push(bucket);
        else {
          block(bucket, full);
          // The bucket may have come from another key, whose slot is now for the next bucket.
          unblock();
        }
      }
      return undefined;
    },
    waitingPriority: (name) =>
      blocked.get(name)?.buckets.peek()?.waiting.peek()?.priority ?? Number.NEGATIVE_INFINITY,
  };
}

export function goesBefore(a: Turn, b: Turn): boolean {
  const [first, second] = [a.waiting.peek(), b.waiting.peek()];
  if (first === undefined || second === undefined) return first !== undefined;
  if (first.priority !== second.priority) return first.priority > second.priority;
  if (a.load !== b.load) return a.load < b.load;
  if (a.inTurn !== b.inTurn) return a.inTurn;
  if (a.position !== b.position) return a.position < b.position;
  return first.turn < second.turn;
}

/**
 * The order of turns. New keys and keys that had a turn take them alternately while there are both, new keys first: a new key
 * does not wait for a turn of each key with a backlog, and keys with a backlog have half of the turns, however many new
 * keys come. The positions are start tags of start-time fair queueing, with two flows of equal weight.
 */
interface Turns {
  /** The position of a key that had no turn yet. */
  ofNew(): number;
  /** The next position of a key whose turn has ended. */
  ofReturning(): number;
  /** The key at this position takes its turn. */
  taken(position: number): void;
}

export function createTurns(): Turns {
  let current = 0;
  let lastNew = 0;
  let lastReturning = 0;
  return {
    ofNew: () => {
      lastNew = Math.max(current, lastNew) + 1;
      return 2 * lastNew;
    },
    ofReturning: () => {
      lastReturning = Math.max(current, lastReturning) + 1;
      return 2 * lastReturning + 1;
    },
    taken: (position) => {
      current = Math.max(current, Math.floor(position / 2));
    },
  };
}
