import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../time/fake-clock.ts';
import { type Item, type ItemOptions, setUp } from './concurrency-limiter.fixture.ts';
import { SLOW_AFTER_MS } from './concurrency-limiter.ts';
import { createTokenBucket } from './token-bucket.ts';

describe('limit keys', () => {
  test('a request whose limit key has no slot waits, and others do not', () => {
    const { add, end, running, group } = setUp();
    for (const key of ['a', 'b', 'c', 'd']) add(key, { on: ['x'] });
    add('e', { on: ['y'] });
    add('f');
    expect(running()).toEqual(['a', 'b', 'e', 'f']);
    expect([group.size(), group.waitingForSlots()]).toEqual([2, 2]);
    end('b');
    expect(running()).toEqual(['a', 'e', 'f', 'c']);
  });

  test('a slot goes to high priority before low, however late it came, and to polls last', () => {
    const { add, end, running } = setUp();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    add('poll', { on: ['x'], priority: -200 });
    add('first reconcile', { on: ['x'], priority: -100 });
    add('change', { on: ['x'] });
    for (const key of ['a', 'b', 'change']) end(key);
    expect(running()).toEqual(['first reconcile', 'poll']);
    const { add: addTo, end: endOf, running: of } = setUp();
    for (const key of ['a', 'b']) addTo(key, { on: ['x'] });
    for (const [key, priority] of [
      ['p', -200],
      ['l', -100],
      ['h', 0],
    ] as const)
      addTo(key, { on: ['x'], priority });
    endOf('a');
    expect(of()).toEqual(['b', 'h']);
    endOf('h');
    expect(of()).toEqual(['b', 'l']);
  });

  test('a request that needs two keys starts when both have a slot, and holds none before', () => {
    const { add, end, running } = setUp();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    add('both', { on: ['x', 'y'] });
    for (const key of ['c', 'd', 'e']) add(key, { on: ['y'] });
    expect(running()).toEqual(['a', 'b', 'c', 'd']);
    end('a');
    expect(running()).toEqual(['b', 'c', 'd']);
    end('c');
    expect(running()).toEqual(['b', 'd', 'both']);
  });

  test('a free slot goes to the next request if the first one that waited for it lacks a slot of another key', () => {
    const { add, end, running } = setUp();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    add('both', { on: ['x', 'y'], priority: 5 });
    add('next', { on: ['x'] });
    for (const key of ['c', 'd']) add(key, { on: ['y'] });
    end('a');
    expect(running()).toEqual(['b', 'c', 'd', 'next']);
  });

  test('groups share them, and a free slot goes to the request with the highest priority of all groups', () => {
    const { add, end, running, another } = setUp();
    const other = another();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    add('low', { on: ['x'], priority: -100 });
    other.add('high', { on: ['x'] });
    expect([running(), other.running()]).toEqual([['a', 'b'], []]);
    end('a');
    expect([running(), other.running()]).toEqual([['b'], ['high']]);
  });

  test('a request that ends twice returns its slots once', () => {
    const { add, running, group } = setUp();
    const [a] = ['a', 'b', 'c', 'd'].map((key) => add(key, { on: ['x'] }));
    for (let i = 0; i < 2; i++) group.end(a as Item);
    expect(running()).toHaveLength(2 + 1);
    expect(group.size()).toBe(1);
  });

  test('a request that is removed waits no longer', () => {
    const { add, end, running, group } = setUp();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    const c = add('c', { on: ['x'] });
    add('d', { on: ['x'] });
    group.remove(c);
    group.remove(c);
    expect(group.size()).toBe(1);
    end('a');
    expect(running()).toEqual(['b', 'd']);
  });
});

describe('fairness', () => {
  test('of requests with equal priority, those of the key with the fewest in progress start first', () => {
    const { add, end, running, grow } = setUp({ capacity: 3, slots: 3 });
    for (let i = 0; i < 10; i++) add(`x${i}`, { on: ['x'] });
    for (let i = 0; i < 10; i++) add(`y${i}`, { on: ['y'] });
    add('z', { on: ['z'] });
    expect(running()).toEqual(['x0', 'x1', 'x2']);
    for (const key of ['x0', 'x1', 'x2']) end(key);
    expect(running()).toEqual(['y0', 'z', 'x3']);
    grow(2);
    expect(running()).toEqual(['y0', 'z', 'x3', 'y1', 'x4']);
  });

  test('a turn of several starts keeps requests with the same keys together, and passes on after as many', () => {
    const { add, end, running } = setUp({ capacity: 4, slots: 4, startsPerTurn: 4 });
    for (let i = 0; i < 4; i++) add(`first ${i}`);
    for (let i = 0; i < 6; i++) for (const on of ['x', 'y', 'z']) add(`${on}${i}`, { on: [on] });
    for (let i = 0; i < 4; i++) end(`first ${i}`);
    expect(running()).toEqual(['x0', 'x1', 'x2', 'x3']);
    for (let i = 0; i < 4; i++) end(`x${i}`);
    expect(running()).toEqual(['y0', 'y1', 'y2', 'y3']);
    for (const key of ['y0', 'y2']) end(key);
    expect(running()).toEqual(['y1', 'y3', 'x4', 'x5']);
  });

  test('a key under which a request takes long has turns of one start', async () => {
    const { add, end, running, clock } = setUp({ capacity: 3, slots: 3, startsPerTurn: 3 });
    add('x0', { on: ['x'] });
    await clock.advance(SLOW_AFTER_MS);
    for (const key of ['a', 'b']) add(key);
    for (let i = 1; i < 4; i++) for (const on of ['x', 'y']) add(`${on}${i}`, { on: [on] });
    for (const key of ['a', 'b']) end(key);
    expect(running()).toEqual(['x0', 'y1', 'y2']);
    for (const key of ['y1', 'y2']) end(key);
    expect(running()).toEqual(['x0', 'y3', 'x1']);
  });

  test('a key that had a turn gets every other one, however many new keys come', () => {
    const { add, end, running } = setUp({ capacity: 1 });
    for (const key of ['x0', 'x1', 'x2']) add(key, { on: ['x'] });
    for (let i = 0; i < 4; i++) add(`early ${i}`, { on: [`early ${i}`] });
    const order: string[] = [];
    for (let late = 0; late < 8; late++) {
      add(`late ${late}`, { on: [`late ${late}`] });
      const [key = ''] = running();
      order.push(key);
      end(key);
    }
    expect(order).toEqual(['x0', 'early 0', 'x1', 'early 1', 'x2', 'early 2', 'early 3', 'late 0']);
  });

  test('of one key the request that has waited longest starts first', () => {
    const { add, end, running } = setUp({ capacity: 1 });
    for (const key of ['a', 'b', 'c', 'd']) add(key, { on: ['x'] });
    for (const key of ['a', 'b', 'c']) {
      expect(running()).toEqual([key]);
      end(key);
    }
    expect(running()).toEqual(['d']);
  });
});

test('the work for each start hardly grows with the keys that wait for one that is full', () => {
  const looksFor = (keys: number) => {
    let looks = 0;
    const shared = {
      name: 'shared',
      get slots() {
        looks++;
        return 4;
      },
    };
    const { group, end, running } = setUp();
    for (let turn = 0; turn < keys; turn++) {
      const limitKeys = [shared, { name: `own ${turn}`, slots: 4 }];
      group.add({ key: `k${turn}`, limitKeys, priority: 0, paced: false, turn, heapIndex: -1 });
    }
    looks = 0;
    looks = 0;
    for (let i = 0; i < keys; i++) end(`k${i}`);
    expect([group.size(), running()]).toEqual([0, []]);
    return looks / keys;
  };
  expect(looksFor(2000)).toBeLessThan(2 * looksFor(20) + 4);
});

describe('low priority', () => {
  const low: ItemOptions = { priority: -100 };
  const LOW_SLOTS = 2;
  const lowSetUp = () => {
    const limiter = setUp({ lowSlots: LOW_SLOTS });
    return { ...limiter, low: (...keys: string[]) => keys.map((key) => limiter.add(key, low)) };
  };

  test('is not limited while no high-priority request is in progress', () => {
    const { add, running } = lowSetUp();
    for (let i = 0; i < 20; i++) add(`l${i}`, low);
    expect(running()).toHaveLength(20);
  });

  test('has few slots while one is, and as many as before when the last of them has ended', () => {
    const { low, add, end, running } = lowSetUp();
    for (const key of ['h1', 'h2']) add(key);
    low('a', 'b', 'c', 'd');
    expect(running()).toEqual(['h1', 'h2', 'a', 'b']);
    end('a');
    expect(running()).toEqual(['h1', 'h2', 'b', 'c']);
    end('h1');
    expect(running()).toEqual(['h2', 'b', 'c']);
    end('h2');
    expect(running()).toEqual(['b', 'c', 'd']);
  });

  test('requests in progress go on, and no more start until there are few enough', () => {
    const { low, add, end, running } = lowSetUp();
    low('a', 'b', 'c', 'd');
    add('h');
    low('e');
    for (const key of ['a', 'b']) end(key);
    expect(running()).toEqual(['c', 'd', 'h']);
    end('c');
    expect(running()).toEqual(['d', 'h', 'e']);
  });

  test('is not throttled for longer by a high-priority request that hangs', async () => {
    const { low, add, running, clock } = lowSetUp();
    add('h');
    low('a', 'b', 'c');
    await clock.advance(SLOW_AFTER_MS - 1);
    expect(running()).toEqual(['h', 'a', 'b']);
    await clock.advance(1);
    expect(running()).toEqual(['h', 'a', 'b', 'c']);
    expect(clock.pending()).toBe(0);
  });

  test('never keeps high priority from starting', () => {
    const { low, add, running } = lowSetUp();
    low('a', 'b', 'c');
    for (let i = 0; i < 20; i++) add(`h${i}`);
    expect(running()).toHaveLength(23);
  });

  test('no timer is left when nothing waits', () => {
    const { low, add, end, clock, group } = lowSetUp();
    add('h');
    low('a', 'b', 'c');
    expect(clock.pending()).toBe(1);
    end('h');
    expect(clock.pending()).toBe(0);
    add('h2');
    low('d');
    expect(group.close()).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });
});

test('a paced request starts when there is a token for it, and keeps no other from starting', async () => {
  const clock = createFakeClock();
  const rate = createTokenBucket({ clock, ratePerSecond: 1, burst: 1 });
  const { add, running, group } = setUp({ clock, rate });
  for (const key of ['a', 'b', 'c']) add(key, { paced: true, priority: -200 });
  add('low', { priority: -300 });
  expect(running()).toEqual(['a', 'low']);
  await clock.advance(999);
  expect(running()).toHaveLength(2);
  await clock.advance(1);
  expect(running()).toEqual(['a', 'low', 'b']);
  expect(group.size()).toBe(1);
});

describe('slots that a request in progress takes besides', () => {
  const x = { name: 'x', slots: 2 };

  test('are its own until it ends, and once only', () => {
    const { add, end, running, group } = setUp();
    const [a, b] = [add('a'), add('b')];
    expect([group.reserve(a, [x]), group.reserve(a, [x]), group.reserve(b, [x])]).toEqual([true, true, true]);
    add('c', { on: ['x'] });
    expect(running()).toEqual(['a', 'b']);
    end('a');
    expect(running()).toEqual(['b', 'c']);
  });

  test('are all of them or none', () => {
    const { add, running, group } = setUp();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    const c = add('c');
    expect(group.reserve(c, [{ name: 'y', slots: 1 }, x])).toBe(false);
    add('d', { on: ['y'] });
    add('e', { on: ['y'] });
    expect(running()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('may be twice as many while requests end quickly under the key', async () => {
    const { add, end, group, clock } = setUp();
    for (const key of ['a', 'b', 'c']) add(key, { on: ['x'] });
    const more = ['d', 'e', 'f'].map((key) => add(key));
    expect(more.map((request) => group.reserve(request, [x]))).toEqual([false, false, false]);
    end('a');
    expect(more.map((request) => group.reserve(request, [x]))).toEqual([true, true, false]);
    end('d');
    await clock.advance(SLOW_AFTER_MS);
    // The others hang by now.
    expect(more.map((request) => group.reserve(request, [x]))).toEqual([false, true, false]);
  });

  test('are not twice as many while a request with higher priority waits for a slot', () => {
    const { add, end, running, group } = setUp();
    for (const key of ['a', 'b', 'c']) add(key, { on: ['x'], priority: -100 });
    const more = ['d', 'e', 'f'].map((key) => add(key, { priority: -100 }));
    end('a');
    add('high', { on: ['x'] });
    expect(more.map((request) => group.reserve(request, [x]))).toEqual([false, false, false]);
    end('b');
    expect(running()).toContain('high');
    expect(more.map((request) => group.reserve(request, [x]))).toEqual([true, true, false]);
  });

  test('are not refused because of requests with lower priority that end quickly', async () => {
    const { add, end, group, clock } = setUp();
    for (const key of ['a', 'b', 'c']) add(key, { on: ['x'], priority: -100 });
    const low = ['d', 'e', 'f'].map((key) => add(key, { priority: -100 }));
    end('a');
    expect(low.map((request) => group.reserve(request, [x]))).toEqual([true, true, false]);
    const high = ['g', 'h', 'i', 'j', 'k'].map((key) => add(key));
    expect(high.map((request) => group.reserve(request, [x]))).toEqual([true, true, true, true, false]);
    end('g');
    await clock.advance(SLOW_AFTER_MS);
    // The others hang by now.
    expect(high.slice(4).map((request) => group.reserve(request, [x]))).toEqual([false]);
  });

  test('are not given to a request that has ended', () => {
    const { add, end, group } = setUp();
    const a = add('a');
    end('a');
    expect(group.reserve(a, [x])).toBe(false);
  });
});
