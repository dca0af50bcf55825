import { expect, test } from '@jest/globals';
import { setUpQueue } from './work-queue.fixture.ts';
import { LOW_PRIORITY } from './work-queue.ts';

const own = { name: 'c', controller: 'c' };

test('of several requests in progress the unfinished time is the sum, the longest the maximum', async () => {
  const { queue, metrics, clock, keys } = setUpQueue();
  queue.add('a');
  await keys();
  await clock.advance(2000);
  queue.add('b');
  await keys();
  await clock.advance(1000);
  expect(metrics.value('workqueue_unfinished_work_seconds', own)).toBe(3 + 1);
  expect(metrics.value('workqueue_longest_running_processor_seconds', own)).toBe(3);
});

test('the wait for a slot is no part of the time in the queue', async () => {
  const { queue, metrics, clock, startWorkers } = setUpQueue({
    limitKeysOf: () => [{ name: 'host', slots: 1 }],
  });
  startWorkers(2);
  for (const key of ['a', 'b']) queue.add(key);
  await clock.advance(5000);
  queue.done('a');
  expect(metrics.observations('workqueue_queue_duration_seconds', own)).toEqual([0, 0]);
});

test('a request that was reconciled before is measured from when it was due again', async () => {
  const { queue, metrics, clock, keys } = setUpQueue();
  for (const waitMs of [1000, 3000]) {
    queue.add('a');
    await clock.advance(waitMs);
    await keys();
    await clock.advance(500);
    queue.done('a');
  }
  expect(metrics.observations('workqueue_queue_duration_seconds', own)).toEqual([1, 3]);
  expect(metrics.observations('workqueue_work_duration_seconds', own)).toEqual([0.5, 0.5]);
});

test('the priority of a delayed request does not change the depth before it is due', async () => {
  const { queue, metrics, clock } = setUpQueue();
  const depth = (priority: number) =>
    metrics.value('workqueue_depth', { ...own, priority: String(priority) });
  queue.addAfter('a', 1000, { priority: LOW_PRIORITY });
  queue.add('b', { priority: LOW_PRIORITY });
  queue.addAfter('a', 1000);
  expect([depth(LOW_PRIORITY), depth(0)]).toEqual([1, 0]);
  await clock.advance(1000);
  expect([depth(LOW_PRIORITY), depth(0)]).toEqual([1, 1]);
});

test('gauges of a closed queue are gone, and no scrape brings them back', async () => {
  const { queue, metrics, queueMetrics, clock, keys } = setUpQueue();
  queue.add('a');
  await keys();
  queue.add('b');
  await clock.advance(1000);
  const gauges = () => [
    metrics.value('workqueue_depth', { ...own, priority: '0' }),
    metrics.value('workqueue_unfinished_work_seconds', own),
    metrics.value('workqueue_longest_running_processor_seconds', own),
  ];
  expect(gauges()).toEqual([1, 1, 1]);
  queueMetrics.close();
  expect(gauges()).toEqual([0, 0, 0]);
});
