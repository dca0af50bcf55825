import { describe, expect, test } from '@jest/globals';
import { setUpQueue } from './work-queue.fixture.ts';
import { LOW_PRIORITY, POLL_PRIORITY } from './work-queue.ts';

describe('work queue', () => {
  test('a key added many times is taken once', async () => {
    const { queue, keys } = setUpQueue();
    for (const key of ['a', 'a', 'b', 'a']) queue.add(key);
    expect(await keys()).toEqual(['a', 'b']);
  });

  test('a key added while it is worked on comes again after done, and not before', async () => {
    const { queue, keys } = setUpQueue();
    queue.add('a');
    expect(await keys()).toEqual(['a']);
    queue.add('a');
    queue.add('a');
    expect(await keys()).toEqual([]);
    queue.done('a');
    expect(await keys()).toEqual(['a']);
    queue.done('a');
    expect(await keys()).toEqual([]);
  });

  test('a key that is raised while it is worked on comes again after done, and not before', async () => {
    const { queue, clock, startWorkers } = setUpQueue();
    const taken = startWorkers(2);
    queue.add('a');
    for (const priority of [LOW_PRIORITY, 5]) queue.add('a', { priority });
    await clock.advance(0);
    expect([queue.depth(), taken]).toEqual([0, ['a']]);
    queue.done('a');
    await clock.advance(0);
    expect(taken).toEqual(['a', 'a']);
  });

  test('a taker that waits is given the next key', async () => {
    const { queue } = setUpQueue();
    const taken = queue.take();
    queue.add('a');
    expect(await taken).toMatchObject({ key: 'a', priority: 0, paced: false });
  });

  test('higher priorities leave first, equal ones in their order', async () => {
    const { queue, keys } = setUpQueue();
    queue.add('low-1', { priority: LOW_PRIORITY });
    queue.add('low-2', { priority: LOW_PRIORITY });
    queue.add('normal-1');
    queue.add('high', { priority: 10 });
    queue.add('normal-2');
    expect(await keys()).toEqual(['high', 'normal-1', 'normal-2', 'low-1', 'low-2']);
  });

  test('polls leave after the first list, which leaves after changes', async () => {
    const { queue, keys } = setUpQueue();
    queue.add('poll', { priority: POLL_PRIORITY });
    queue.add('listed', { priority: LOW_PRIORITY });
    queue.add('changed');
    expect(await keys()).toEqual(['changed', 'listed', 'poll']);
  });

  test('a change raises a key that waits with low priority and lifts its pacing', async () => {
    const { queue, takeAll } = setUpQueue();
    queue.add('a', { priority: LOW_PRIORITY, paced: true });
    queue.add('b', { priority: LOW_PRIORITY, paced: true });
    queue.add('b');
    expect(await takeAll()).toEqual([
      { key: 'b', priority: 0, paced: false },
      { key: 'a', priority: LOW_PRIORITY, paced: true },
    ]);
  });

  test('a low-priority add does not lower a key', async () => {
    const { queue, takeAll } = setUpQueue();
    queue.add('a');
    queue.add('a', { priority: LOW_PRIORITY, paced: true });
    expect(await takeAll()).toEqual([{ key: 'a', priority: 0, paced: false }]);
  });

  test('a delayed key is due after its delay', async () => {
    const { queue, clock, keys } = setUpQueue();
    queue.addAfter('a', 1000);
    await clock.advance(999);
    expect(await keys()).toEqual([]);
    await clock.advance(1);
    expect(await keys()).toEqual(['a']);
  });

  test('of several delays the shortest counts, and the key comes once', async () => {
    const { queue, clock, keys } = setUpQueue();
    for (const delay of [5000, 1000, 3000]) queue.addAfter('a', delay);
    await clock.advance(999);
    expect(await keys()).toEqual([]);
    await clock.advance(1);
    expect(await keys()).toEqual(['a']);
    queue.done('a');
    await clock.advance(10_000);
    expect(await keys()).toEqual([]);
  });

  test('an immediate add overtakes a delay', async () => {
    const { queue, keys } = setUpQueue();
    queue.addAfter('a', 60_000);
    queue.add('a');
    expect(await keys()).toEqual(['a']);
    expect(queue.delayed()).toBe(0);
  });

  test('a delay that ends while the key is worked on takes effect at done', async () => {
    const { queue, clock, keys } = setUpQueue();
    queue.add('a');
    await keys();
    queue.addAfter('a', 1000);
    await clock.advance(5000);
    expect(await keys()).toEqual([]);
    queue.done('a');
    expect(await keys()).toEqual(['a']);
  });

  test('ten thousand delayed keys need one timer', () => {
    const { queue, clock } = setUpQueue();
    for (let i = 0; i < 10_000; i++) queue.addAfter(`k${i}`, 1000 + ((i * 7919) % 60_000));
    expect(clock.pending()).toBe(1);
  });

  test('failures lengthen the wait of their key until it is forgotten', async () => {
    const { queue, clock, keys } = setUpQueue();
    for (const wait of [1000, 2000, 4000]) {
      queue.addRateLimited('a');
      await clock.advance(wait - 1);
      expect(await keys()).toEqual([]);
      await clock.advance(1);
      expect(await keys()).toEqual(['a']);
      queue.done('a');
    }
    queue.forget('a');
    queue.addRateLimited('a');
    await clock.advance(1000);
    expect(await keys()).toEqual(['a']);
  });

  test('shutdown ends waiting takers, drops what waits, takes nothing more and leaves no timer', async () => {
    const { queue, clock } = setUpQueue();
    const taken = queue.take();
    queue.addAfter('later', 1000);
    await queue.shutdown();
    queue.add('a');
    expect(await taken).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    expect([queue.depth(), queue.delayed(), clock.pending()]).toEqual([0, 0, 0]);
  });

  test('shutdown waits for the keys that are worked on', async () => {
    const { queue, keys, clock } = setUpQueue();
    queue.add('a');
    await keys();
    let drained = false;
    const shutdown = queue.shutdown().then(() => {
      drained = true;
    });
    await clock.advance(0);
    expect(drained).toBe(false);
    queue.done('a');
    await shutdown;
    expect(drained).toBe(true);
  });
});

describe('workqueue metrics', () => {
  const own = { name: 'c', controller: 'c' };

  test('depth is counted by priority and moves with a raised key', async () => {
    const { queue, metrics, keys } = setUpQueue();
    const depth = (priority: number) =>
      metrics.value('workqueue_depth', { ...own, priority: String(priority) });
    queue.add('a', { priority: LOW_PRIORITY });
    expect([depth(LOW_PRIORITY), depth(0)]).toEqual([1, 0]);
    queue.add('a');
    expect([depth(LOW_PRIORITY), depth(0)]).toEqual([0, 1]);
    await keys();
    expect([depth(LOW_PRIORITY), depth(0)]).toEqual([0, 0]);
  });

  test('adds count keys rather than calls, retries count failures', () => {
    const { queue, metrics } = setUpQueue();
    for (const key of ['a', 'a', 'b']) queue.add(key);
    queue.addRateLimited('c');
    expect(metrics.value('workqueue_adds_total', own)).toBe(3);
    expect(metrics.value('workqueue_retries_total', own)).toBe(1);
  });

  test('spans are measured from due to taken and from taken to done', async () => {
    const { queue, metrics, clock, keys } = setUpQueue();
    queue.add('a');
    await clock.advance(2000);
    await keys();
    await clock.advance(3000);
    expect(metrics.value('workqueue_unfinished_work_seconds', own)).toBe(3);
    expect(metrics.value('workqueue_longest_running_processor_seconds', own)).toBe(3);
    queue.done('a');
    expect(metrics.observations('workqueue_queue_duration_seconds', own)).toEqual([2]);
    expect(metrics.observations('workqueue_work_duration_seconds', own)).toEqual([3]);
    expect(metrics.value('workqueue_unfinished_work_seconds', own)).toBe(0);
  });
});
