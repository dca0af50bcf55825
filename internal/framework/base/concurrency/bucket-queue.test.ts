import { describe, expect, test } from '@jest/globals';
import { createHeap } from '../collections/heap.ts';
import {
  type Bucket,
  createBucketQueue,
  goesBefore,
  type LimitedRequest,
  type Turn,
} from './bucket-queue.ts';
import type { LimitKey } from './limit-key.ts';

const host = (name: string): LimitKey => ({ name, slots: 1 });

const requestOf = (over: Partial<LimitedRequest> = {}): LimitedRequest => ({
  heapIndex: -1,
  priority: 0,
  turn: 0,
  paced: false,
  limitKeys: [],
  ...over,
});

describe('goesBefore', () => {
  interface TurnOptions extends Partial<Pick<Turn, 'load' | 'inTurn' | 'position'>> {
    readonly request?: Partial<LimitedRequest> | null;
  }
  const turnOf = ({ request = {}, ...over }: TurnOptions): Turn => ({
    load: 0,
    inTurn: false,
    position: 0,
    ...over,
    waiting: { peek: () => (request === null ? undefined : requestOf(request)) },
  });
  const rules: { rule: string; first: TurnOptions; second: TurnOptions }[] = [
    {
      rule: 'a higher priority, whatever else',
      first: { request: { priority: 1, turn: 9 }, load: 9, position: 9 },
      second: { request: { priority: 0, turn: 1 }, inTurn: true },
    },
    {
      rule: 'a smaller load',
      first: { load: 1, position: 9, request: { turn: 9 } },
      second: { load: 2, inTurn: true, request: { turn: 1 } },
    },
    {
      rule: 'a turn that continues',
      first: { inTurn: true, position: 9, request: { turn: 9 } },
      second: { position: 1, request: { turn: 1 } },
    },
    {
      rule: 'the earlier position in the order of turns',
      first: { position: 1, request: { turn: 9 } },
      second: { position: 2, request: { turn: 1 } },
    },
    {
      rule: 'the request that came first',
      first: { request: { turn: 1 } },
      second: { request: { turn: 2 } },
    },
    { rule: 'a bucket with a request', first: {}, second: { request: null } },
  ];
  test.each(rules)('$rule goes first', ({ first, second }) => {
    expect(goesBefore(turnOf(first), turnOf(second))).toBe(true);
    expect(goesBefore(turnOf(second), turnOf(first))).toBe(false);
  });
  test.each([
    { title: 'with', request: {} },
    { title: 'without', request: null },
  ])('of two equal buckets $title a request none goes first', ({ request }) => {
    expect(goesBefore(turnOf({ request }), turnOf({ request }))).toBe(false);
  });
});

describe('a bucket queue', () => {
  const setUp = () => {
    const full = new Set<string>();
    const loads = new Map<string, number>();
    let now = 0;
    const queue = createBucketQueue<LimitedRequest>({
      now: () => now,
      isFull: ({ name }) => full.has(name),
      loadOf: ({ name }) => loads.get(name) ?? 0,
    });
    let turn = 0;
    const bucketOf = (name: string, ...limitKeys: LimitKey[]): Bucket<LimitedRequest> => ({
      name,
      limitKeys,
      paced: false,
      waiting: createHeap((a, b) => a.turn < b.turn),
      running: new Map(),
      heapIndex: -1,
      load: 0,
      inTurn: false,
      position: 0,
      startsLeft: 0,
      blockedBy: undefined,
      openSince: undefined,
    });
    const add = (bucket: Bucket<LimitedRequest>, priority = 0) =>
      queue.change(bucket, () => bucket.waiting.push(requestOf({ priority, turn: turn++ })));
    const empty = (bucket: Bucket<LimitedRequest>) => queue.change(bucket, () => bucket.waiting.pop());
    const at = (ms: number) => {
      now = ms;
    };
    return { queue, full, loads, bucketOf, add, empty, at };
  };

  test('has no first bucket without requests', () => {
    const { queue, bucketOf, add, empty } = setUp();
    expect(queue.first()).toBeUndefined();
    const bucket = bucketOf('a');
    add(bucket);
    expect(queue.first()).toBe(bucket);
    empty(bucket);
    expect(queue.first()).toBeUndefined();
  });

  test('passes over a bucket whose key is full, until the key is open and has a slot', () => {
    const { queue, full, bucketOf, add, at } = setUp();
    const [first, second] = [bucketOf('first', host('a')), bucketOf('second', host('b'))];
    full.add('a');
    add(first, 1);
    add(second);
    expect(queue.first()).toBe(second);
    expect(queue.waitingPriority('a')).toBe(1);

    queue.open('a');
    expect(queue.first()).toBe(second);
    full.delete('a');
    expect(queue.first()).toBe(second);
    at(500);
    queue.open('a');
    expect(queue.first()).toBe(first);
    expect(first).toMatchObject({ blockedBy: undefined, openSince: 500 });
    expect(second.openSince).toBeUndefined();
    expect(queue.waitingPriority('a')).toBe(Number.NEGATIVE_INFINITY);
  });

  test('returns buckets of one key one at a time, the one of the highest priority first', () => {
    const { queue, full, bucketOf, add, empty } = setUp();
    const [low, high] = [bucketOf('low', host('a')), bucketOf('high', host('a'), host('b'))];
    full.add('a');
    add(low);
    add(high, 1);
    expect(queue.first()).toBeUndefined();
    expect(queue.waitingPriority('a')).toBe(1);

    full.delete('a');
    queue.open('a');
    expect(queue.first()).toBe(high);
    expect(low.blockedBy).toBe('a');
    full.add('a');
    expect(queue.first()).toBeUndefined();
    full.delete('a');
    empty(high);
    queue.open('a');
    expect(queue.first()).toBe(low);
  });

  test('moves a bucket from one full key to another', () => {
    const { queue, full, bucketOf, add } = setUp();
    const bucket = bucketOf('both', host('a'), host('b'));
    for (const name of ['a', 'b']) full.add(name);
    add(bucket);
    expect(queue.first()).toBeUndefined();
    full.delete('a');
    queue.open('a');
    expect(queue.first()).toBeUndefined();
    expect([queue.waitingPriority('a'), queue.waitingPriority('b')]).toEqual([Number.NEGATIVE_INFINITY, 0]);
    full.delete('b');
    queue.open('b');
    expect(queue.first()).toBe(bucket);
  });

  test('a bucket that is moved to another full key leaves the slot of the first one to the next bucket', () => {
    const { queue, full, bucketOf, add } = setUp();
    const [both, low] = [bucketOf('both', host('a'), host('b')), bucketOf('low', host('a'))];
    const other = bucketOf('other', host('c'));
    for (const name of ['a', 'b']) full.add(name);
    add(both, 2);
    add(low, 1);
    add(other);
    expect(queue.first()).toBe(other);
    full.delete('a');
    queue.open('a');
    expect(queue.first()).toBe(low);
    expect([both.blockedBy, low.blockedBy]).toEqual(['b', undefined]);
  });

  test('a bucket that is emptied while its key is full does not come back', () => {
    const { queue, full, bucketOf, add, empty } = setUp();
    const bucket = bucketOf('a', host('a'));
    full.add('a');
    add(bucket);
    expect(queue.first()).toBeUndefined();
    empty(bucket);
    expect(bucket.blockedBy).toBeUndefined();
    expect(queue.waitingPriority('a')).toBe(Number.NEGATIVE_INFINITY);
    full.delete('a');
    queue.open('a');
    expect(queue.first()).toBeUndefined();
  });

  test('orders buckets by their loads of now', () => {
    const { queue, loads, bucketOf, add } = setUp();
    const [first, second] = [bucketOf('first'), bucketOf('second')];
    add(first);
    add(second);
    expect(queue.first()).toBe(first);
    loads.set('first', 1);
    expect(queue.first()).toBe(second);
    expect(first.load).toBe(1);
  });
});
