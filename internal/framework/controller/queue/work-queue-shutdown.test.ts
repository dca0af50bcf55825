import { describe, expect, test } from '@jest/globals';
import { setUpQueue } from './work-queue.fixture.ts';
import { LOW_PRIORITY } from './work-queue.ts';

const own = { name: 'c', controller: 'c' };

describe('shutdown', () => {
  test('waits for the last of several requests in progress', async () => {
    const { queue, clock, keys } = setUpQueue();
    for (const key of ['a', 'b']) queue.add(key);
    await keys();
    let drained = false;
    void queue.shutdown().then(() => {
      drained = true;
    });
    queue.done('a');
    await clock.advance(0);
    expect(drained).toBe(false);
    queue.done('b');
    await clock.advance(0);
    expect(drained).toBe(true);
  });

  test('a request in progress that was added again does not come back', async () => {
    const { queue, clock, keys, startWorkers } = setUpQueue();
    queue.add('a');
    await keys();
    queue.add('a');
    void queue.shutdown();
    queue.done('a');
    const taken = startWorkers(1);
    await clock.advance(0);
    expect([taken, queue.depth()]).toEqual([[], 0]);
  });

  test('requests that were due leave the metric of the depth', async () => {
    const { queue, metrics } = setUpQueue();
    queue.add('a');
    queue.add('b', { priority: LOW_PRIORITY });
    await queue.shutdown();
    const depth = (priority: string) => metrics.value('workqueue_depth', { ...own, priority });
    expect([depth('0'), depth(String(LOW_PRIORITY)), queue.depth()]).toEqual([0, 0, 0]);
  });

  test('a delay that ends later has no effect', async () => {
    const { queue, clock } = setUpQueue();
    queue.addAfter('a', 1000);
    const drained = queue.shutdown();
    expect([queue.delayed(), clock.pending()]).toEqual([0, 0]);
    await clock.advance(1000);
    await drained;
    expect(queue.depth()).toBe(0);
  });
});

describe('done', () => {
  test('of a request that is not in progress is not counted, and frees nothing', async () => {
    const { queue, metrics, keys } = setUpQueue();
    queue.add('a');
    queue.done('a');
    queue.done('unknown');
    expect(metrics.observations('workqueue_work_duration_seconds', own)).toEqual([]);
    expect(await keys()).toEqual(['a']);
  });

  test('does not shorten the delay of the next reconcile of the request', async () => {
    const { queue, clock, keys } = setUpQueue();
    queue.add('a');
    await keys();
    queue.addAfter('a', 1000);
    queue.done('a');
    expect([queue.depth(), queue.delayed()]).toEqual([0, 1]);
    await clock.advance(1000);
    expect(await keys()).toEqual(['a']);
  });
});

describe('the timer of delayed requests', () => {
  test('is set again for a shorter delay, and none is left without delayed requests', async () => {
    const { queue, clock, keys } = setUpQueue();
    queue.addAfter('late', 5000);
    queue.addAfter('soon', 1000);
    expect(clock.pending()).toBe(1);
    await clock.advance(1000);
    expect(await keys()).toEqual(['soon']);
    expect([queue.delayed(), clock.pending()]).toEqual([1, 1]);
    queue.add('late');
    expect([queue.delayed(), clock.pending()]).toEqual([0, 0]);
  });

  test('requests become due in the order of their delays, however they were added', async () => {
    const { queue, clock, startWorkers } = setUpQueue();
    const taken = startWorkers(3);
    for (const [key, delayMs] of [
      ['c', 3000],
      ['a', 1000],
      ['b', 2000],
    ] as const)
      queue.addAfter(key, delayMs);
    await clock.advance(2000);
    expect(taken).toEqual(['a', 'b']);
    await clock.advance(1000);
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('a longer delay does not postpone a request that is due or due sooner', async () => {
    const { queue, clock, keys } = setUpQueue();
    queue.addAfter('a', 1000);
    queue.addAfter('a', 1000, { priority: LOW_PRIORITY });
    queue.add('b');
    queue.addAfter('b', 5000);
    expect(await keys()).toEqual(['b']);
    await clock.advance(1000);
    expect(await keys()).toEqual(['a']);
  });

  test('a delayed request keeps the higher of its priorities', async () => {
    const { queue, clock, takeAll } = setUpQueue();
    queue.addAfter('a', 1000, { priority: LOW_PRIORITY });
    queue.addAfter('a', 2000, { priority: 5 });
    await clock.advance(1000);
    expect(await takeAll()).toEqual([{ key: 'a', priority: 5, paced: false }]);
  });
});
