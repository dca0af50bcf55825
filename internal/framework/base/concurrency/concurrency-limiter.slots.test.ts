import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../time/fake-clock.ts';
import { setUp } from './concurrency-limiter.fixture.ts';
import { createConcurrencyLimiter, type LimitedRequest, SLOW_AFTER_MS } from './concurrency-limiter.ts';
import { createTokenBucket } from './token-bucket.ts';

const x = { name: 'x', slots: 2 };

describe('slots that a request in progress releases', () => {
  test('are free at once, and are not released again at its end', () => {
    const { add, end, running, group } = setUp();
    const [a] = ['a', 'b', 'c', 'd'].map((key) => add(key, { on: ['x'] }));
    if (a === undefined) throw new Error('no request was added');
    group.release(a, [x]);
    expect(running()).toEqual(['a', 'b', 'c']);
    group.release(a, [x]);
    end('a');
    expect([running(), group.waitingForSlots()]).toEqual([['b', 'c'], 1]);
  });

  test('are those of the named keys alone', () => {
    const { add, running, group } = setUp({ slots: 1 });
    const a = add('a', { on: ['x', 'y'] });
    for (const on of ['x', 'y']) add(`waits for ${on}`, { on: [on] });
    group.release(a, [{ name: 'x' }, { name: 'unknown' }]);
    expect(running()).toEqual(['a', 'waits for x']);
  });

  test('may be those that it reserved', () => {
    const { add, running, group } = setUp({ slots: 1 });
    const a = add('a', { on: ['y'] });
    expect(group.reserve(a, [{ name: 'x', slots: 1 }])).toBe(true);
    for (const on of ['x', 'y']) add(`waits for ${on}`, { on: [on] });
    expect(running()).toEqual(['a']);
    group.release(a, [x]);
    expect(running()).toEqual(['a', 'waits for x']);
  });

  test('can be reserved again while there are any', () => {
    const { add, running, group } = setUp({ slots: 1 });
    const one = { name: 'x', slots: 1 };
    const a = add('a', { on: ['x'] });
    group.release(a, [one]);
    expect(group.reserve(a, [one])).toBe(true);
    add('b', { on: ['x'] });
    expect(running()).toEqual(['a']);
  });

  test('are none after its end', () => {
    const { add, end, running, group } = setUp({ slots: 1 });
    const a = add('a', { on: ['x'] });
    end('a');
    for (const key of ['b', 'c']) add(key, { on: ['x'] });
    group.release(a, [x]);
    expect(running()).toEqual(['b']);
  });
});

test('a key whose last request took long gives no slots beyond its own until one ends quickly', async () => {
  const { add, end, group, clock } = setUp();
  const more = add('more');
  for (const key of ['a', 'b']) add(key, { on: ['x'] });
  await clock.advance(SLOW_AFTER_MS);
  for (const key of ['c', 'd', 'e']) add(key, { on: ['x'] });
  for (const key of ['a', 'b']) end(key);
  expect(group.reserve(more, [x])).toBe(false);
  await clock.advance(SLOW_AFTER_MS - 1);
  end('c');
  expect(group.reserve(more, [x])).toBe(true);
});

describe('a group that is closed', () => {
  test('returns its waiting requests, and starts none of them', () => {
    const { add, end, running, group } = setUp();
    for (const key of ['a', 'b', 'c', 'd']) add(key, { on: ['x'] });
    const y = add('y', { on: ['x', 'y'] });
    expect(
      group
        .close()
        .map(({ key }) => key)
        .sort(),
    ).toEqual(['c', 'd', 'y']);
    expect([group.size(), group.waitingForSlots()]).toEqual([0, 0]);
    end('a');
    expect(running()).toEqual(['b']);
    group.remove(y);
    expect(group.size()).toBe(0);
  });

  test('keeps its slots until its requests end, and then other groups have them', () => {
    const { add, end, group, another } = setUp();
    const other = another();
    for (const key of ['a', 'b']) add(key, { on: ['x'] });
    other.add('c', { on: ['x'] });
    group.close();
    expect(other.running()).toEqual([]);
    end('a');
    expect(other.running()).toEqual(['c']);
  });

  test('leaves the timer that another group needs', async () => {
    const clock = createFakeClock();
    const rate = createTokenBucket({ clock, ratePerSecond: 1, burst: 1 });
    const { add, running, another } = setUp({ clock, rate });
    for (const key of ['a', 'b']) add(key, { paced: true });
    another().group.close();
    expect(clock.pending()).toBe(1);
    await clock.advance(1000);
    expect(running()).toEqual(['a', 'b']);
    expect(clock.pending()).toBe(0);
  });
});

test('low priority is throttled until each high-priority request has ended or hangs', async () => {
  const { add, end, running, clock } = setUp({ lowSlots: 1 });
  const low = { priority: -1 };
  add('first');
  await clock.advance(SLOW_AFTER_MS / 2);
  add('second');
  for (const key of ['a', 'b', 'c']) add(key, low);
  await clock.advance(SLOW_AFTER_MS / 2);
  expect(running()).toEqual(['first', 'second', 'a']);
  await clock.advance(SLOW_AFTER_MS / 2 - 1);
  expect(running()).toEqual(['first', 'second', 'a']);
  await clock.advance(1);
  expect(running()).toEqual(['first', 'second', 'a', 'b', 'c']);
  for (const key of ['a', 'b', 'c']) end(key);
  add('third');
  for (const key of ['d', 'e']) add(key, low);
  expect(running()).toEqual(['first', 'second', 'third', 'd']);
});

test('a start is told since when its limit keys had slots, if they were full before', async () => {
  const clock = createFakeClock();
  let capacity = 9;
  const started: (number | undefined)[] = [];
  const group = createConcurrencyLimiter({ clock }).group({
    capacity: () => capacity,
    start: (_: LimitedRequest, openSince) => void started.push(openSince),
  });
  const request = (turn: number): LimitedRequest => ({
    turn,
    limitKeys: [{ name: 'x', slots: 1 }],
    priority: 0,
    paced: false,
    heapIndex: -1,
  });
  const first = request(0);
  group.add(first);
  group.add(request(1));
  await clock.advance(700);
  capacity = 1;
  group.end(first);
  expect(started).toEqual([undefined, 700]);
});

test('paced requests share the rate with no others, and a timer is set for the next token alone', async () => {
  const clock = createFakeClock();
  const rate = createTokenBucket({ clock, ratePerSecond: 2, burst: 1 });
  const { add, end, running } = setUp({ clock, rate });
  for (const key of ['a', 'b', 'c']) add(key, { paced: true });
  for (const key of ['d', 'e']) add(key);
  expect(running()).toEqual(['a', 'd', 'e']);
  end('d');
  expect(clock.pending()).toBe(1);
  await clock.advance(500);
  expect(running()).toEqual(['a', 'e', 'b']);
  await clock.advance(500);
  expect([running(), clock.pending()]).toEqual([['a', 'e', 'b', 'c'], 0]);
});

describe('slots that limit keys share until their requests end quickly', () => {
  /** Ends a quick request of each key. */
  const makeQuick = ({ add, end }: ReturnType<typeof setUp>, ...names: string[]) => {
    for (const name of names) {
      add(`first ${name}`, { on: [name] });
      end(`first ${name}`);
    }
  };

  test('are taken by unknown keys, whose requests wait when they are full', () => {
    const limiter = setUp({ shared: 3 });
    for (const name of ['a', 'b', 'c'])
      for (const number of [1, 2]) limiter.add(name + number, { on: [name] });
    expect(limiter.running()).toEqual(['a1', 'a2', 'b1']);
    expect(limiter.group.waitingForSlots()).toBe(3);
    limiter.end('a1');
    expect(limiter.running()).toEqual(['a2', 'b1', 'c1']);
  });

  test('are not taken by a quick key, even after a time without requests', () => {
    const limiter = setUp({ shared: 2 });
    makeQuick(limiter, 'quick');
    for (const name of ['a', 'b', 'c']) limiter.add(name, { on: [name] });
    for (const number of [1, 2]) limiter.add(`quick ${number}`, { on: ['quick'] });
    expect(limiter.running()).toEqual(['a', 'b', 'quick 1', 'quick 2']);
  });

  test('are taken again by a key whose request in progress is slow', async () => {
    const limiter = setUp({ shared: 1 });
    makeQuick(limiter, 'a');
    limiter.add('slow', { on: ['a'] });
    limiter.add('unknown', { on: ['b'] });
    await limiter.clock.advance(SLOW_AFTER_MS);
    limiter.add('later', { on: ['a'] });
    expect(limiter.running()).toEqual(['slow', 'unknown']);
    limiter.end('unknown');
    expect(limiter.running()).toEqual(['slow', 'later']);
  });

  test('are not awaited by a key whose first request ended quickly meanwhile, although they are still full', () => {
    const limiter = setUp({ shared: 2 });
    limiter.add('slow', { on: ['a'] });
    limiter.add('quick 1', { on: ['b'] });
    for (const number of [2, 3]) limiter.add(`quick ${number}`, { on: ['b'] });
    for (const number of [2, 3]) limiter.add(`slow ${number}`, { on: ['a'] });
    limiter.end('quick 1');
    expect(limiter.running()).toEqual(expect.arrayContaining(['slow', 'quick 2', 'quick 3']));
  });

  test('are held by a request once, however many keys it has, until the last of them is released', () => {
    const limiter = setUp({ shared: 2 });
    const both = limiter.add('both', { on: ['a', 'b'] });
    limiter.add('c', { on: ['c'] });
    limiter.add('d', { on: ['d'] });
    expect(limiter.running()).toEqual(['both', 'c']);
    limiter.group.release(both, [{ name: 'a' }]);
    expect(limiter.running()).toEqual(['both', 'c']);
    limiter.group.release(both, [{ name: 'b' }]);
    expect(limiter.running()).toEqual(['both', 'c', 'd']);
  });

  test('are no obstacle to further keys of a request that holds one', () => {
    const limiter = setUp({ shared: 1 });
    const holder = limiter.add('holder', { on: ['a'] });
    const shared = { name: 'shared', slots: 1 };
    expect(limiter.group.reserve(holder, [{ name: 'b', slots: 1, shared }])).toBe(true);
  });
});

test('slots that grow are used as soon as the limiter is told', () => {
  const { limiter, group, running } = setUp();
  let slots = 1;
  const key = {
    name: 'x',
    get slots() {
      return slots;
    },
  };
  ['a', 'b', 'c', 'd'].forEach((name, turn) => {
    group.add({ key: name, limitKeys: [key], priority: 0, paced: false, turn, heapIndex: -1 });
  });
  expect(running()).toEqual(['a']);
  slots = 3;
  limiter.grown('another');
  expect(running()).toEqual(['a']);
  limiter.grown('x');
  expect(running()).toEqual(['a', 'b', 'c']);
});
