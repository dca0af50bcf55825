import { describe, expect, test } from '@jest/globals';
import { createTokenBucket } from '../../base/concurrency/token-bucket.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { setUpQueue } from './work-queue.fixture.ts';
import { LOW_PRIORITY } from './work-queue.ts';

const host = { name: 'host', slots: 1 };
/** Keys `x…` need a slot of the host. */
const limitKeysOf = (key: string) => (key.startsWith('x') ? [host] : []);

describe('limit keys of requests', () => {
  test('a due request waits for a slot, others pass it, and it starts when the slot is free', async () => {
    const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf });
    const taken = startWorkers(3);
    for (const key of ['x1', 'x2', 'a']) queue.add(key);
    await clock.advance(0);
    expect(taken).toEqual(['x1', 'a']);
    expect([queue.depth(), queue.waitingForSlots()]).toEqual([1, 1]);
    queue.done('x1');
    await clock.advance(0);
    expect(taken).toEqual(['x1', 'a', 'x2']);
    expect([queue.depth(), queue.waitingForSlots()]).toEqual([0, 0]);
  });

  test('are those of the time at which the request became due', async () => {
    let limited = true;
    const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf: () => (limited ? [host] : []) });
    const taken = startWorkers(3);
    queue.add('a');
    queue.addAfter('b', 1000);
    limited = false;
    await clock.advance(1000);
    expect(taken).toEqual(['a', 'b']);
  });

  test('a request that was added while in progress waits for the slots that it needs now', async () => {
    let limited = false;
    const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf: () => (limited ? [host] : []) });
    const taken = startWorkers(4);
    queue.add('a');
    limited = true;
    queue.add('b');
    queue.add('a');
    await clock.advance(0);
    queue.done('a');
    await clock.advance(0);
    expect(taken).toEqual(['a', 'b']);
    queue.done('b');
    await clock.advance(0);
    expect(taken).toEqual(['a', 'b', 'a']);
  });
});

describe('slots of a request in progress', () => {
  test('are reserved for it, and free after release and after done', async () => {
    const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf });
    const taken = startWorkers(4);
    queue.add('a');
    expect(queue.reserve('a', [host])).toBe(true);
    queue.add('x1');
    await clock.advance(0);
    expect(taken).toEqual(['a']);
    queue.release('a', [host]);
    await clock.advance(0);
    expect(taken).toEqual(['a', 'x1']);
    queue.add('x2');
    queue.done('x1');
    await clock.advance(0);
    expect(taken).toEqual(['a', 'x1', 'x2']);
  });

  test('are refused while another request has the last one', () => {
    const { queue, startWorkers } = setUpQueue({ limitKeysOf });
    startWorkers(2);
    for (const key of ['x1', 'a']) queue.add(key);
    expect(queue.reserve('a', [host])).toBe(false);
  });

  test('are not given to a request that only waits, and releasing them for it does nothing', async () => {
    const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf });
    queue.add('a');
    expect(queue.reserve('a', [host])).toBe(false);
    queue.release('a', [host]);
    const taken = startWorkers(2);
    queue.add('x1');
    await clock.advance(0);
    expect(taken).toEqual(['a', 'x1']);
  });
});

test('low-priority requests get few slots while a high-priority one is in progress', async () => {
  const { queue, clock, startWorkers } = setUpQueue({ lowSlots: 1 });
  const taken = startWorkers(4);
  queue.add('high');
  for (const key of ['low 1', 'low 2']) queue.add(key, { priority: LOW_PRIORITY });
  await clock.advance(0);
  expect(taken).toEqual(['high', 'low 1']);
  queue.done('high');
  await clock.advance(0);
  expect(taken).toEqual(['high', 'low 1', 'low 2']);
});

test('requests that share limit keys start in turns of sixteen', async () => {
  const slots = (name: string) => [{ name, slots: 100 }];
  const { queue, clock, startWorkers } = setUpQueue({ limitKeysOf: (key) => slots(key[0] ?? '') });
  for (let i = 0; i < 40; i++) for (const name of ['x', 'y']) queue.add(`${name}${i}`);
  const taken = startWorkers(36);
  await clock.advance(0);
  expect(taken.map((key) => key[0]).join('')).toBe(`${'x'.repeat(16)}${'y'.repeat(16)}${'x'.repeat(4)}`);
});

describe('pacing', () => {
  const setUpPaced = () => {
    const clock = createFakeClock();
    const rate = createTokenBucket({ clock, ratePerSecond: 1, burst: 1 });
    return setUpQueue({ rate }, clock);
  };
  const paced = { paced: true };

  test('paced requests start at the rate, others at once', async () => {
    const { queue, clock, startWorkers } = setUpPaced();
    const taken = startWorkers(4);
    for (const key of ['p1', 'p2', 'p3']) queue.add(key, paced);
    queue.add('a');
    await clock.advance(999);
    expect(taken).toEqual(['p1', 'a']);
    await clock.advance(1);
    expect(taken).toEqual(['p1', 'a', 'p2']);
  });

  test('a request that is added both ways is not paced, in either order', async () => {
    const { queue, clock, startWorkers } = setUpPaced();
    queue.add('p', paced);
    for (const options of [paced, {}]) queue.add('first paced', options);
    for (const options of [{}, paced]) queue.add('then paced', options);
    const taken = startWorkers(3);
    await clock.advance(0);
    expect([...taken].sort()).toEqual(['first paced', 'p', 'then paced']);
  });

  test('a paced request whose priority is raised by a paced one stays paced', async () => {
    const { queue, clock, startWorkers } = setUpPaced();
    queue.add('p', paced);
    queue.add('raised', { ...paced, priority: LOW_PRIORITY });
    queue.add('raised', { ...paced, priority: 1 });
    const taken = startWorkers(2);
    await clock.advance(0);
    expect(taken).toEqual(['raised']);
  });
});
