import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createPrometheusMetrics } from '../../process/telemetry/prometheus.ts';
import { setUpQueue } from './work-queue.fixture.ts';
import { createQueueMetrics, LOW_PRIORITY } from './work-queue.ts';

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

test('in a replica that does not lead no request waits, and the wait begins when it leads', async () => {
  const { queue, metrics, queueMetrics, clock, keys } = setUpQueue();
  const depth = () => metrics.value('workqueue_depth', { ...own, priority: '0' });
  queueMetrics.hold();
  queue.add('a');
  await clock.advance(5000);
  expect(depth()).toBe(0);
  queueMetrics.work();
  expect(depth()).toBe(1);
  await clock.advance(1000);
  await keys();
  expect(metrics.observations('workqueue_queue_duration_seconds', own)).toEqual([1]);
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

test('the page of metrics has the names, types, labels and buckets of client-go', async () => {
  const page = createPrometheusMetrics();
  const metrics = createQueueMetrics(page, createFakeClock(), 'c');
  metrics.added();
  metrics.retried();
  metrics.queued('a', 0);
  metrics.taken('a', 0, undefined);
  metrics.finished('a');
  const text = await page.text();
  expect(text.match(/^# TYPE .*/gm)).toEqual([
    '# TYPE workqueue_depth gauge',
    '# TYPE workqueue_adds_total counter',
    '# TYPE workqueue_retries_total counter',
    '# TYPE workqueue_queue_duration_seconds histogram',
    '# TYPE workqueue_work_duration_seconds histogram',
    '# TYPE workqueue_unfinished_work_seconds gauge',
    '# TYPE workqueue_longest_running_processor_seconds gauge',
  ]);
  const series = text.split('\n').filter((line) => line.startsWith('workqueue_'));
  for (const line of series) expect(line).toMatch(/[{,]name="c",controller="c"[,}]/);
  expect(series).toContain('workqueue_depth{name="c",controller="c",priority="0"} 0');
  for (const unit of ['queue', 'work']) {
    const bucket = new RegExp(`^workqueue_${unit}_duration_seconds_bucket{.*le="([^"]+)"`);
    const bounds = series.flatMap((line) => bucket.exec(line)?.[1] ?? []);
    expect(bounds.map(Number)).toEqual([
      1e-8,
      1e-7,
      1e-6,
      1e-5,
      1e-4,
      0.001,
      0.01,
      0.1,
      1,
      10,
      100,
      1000,
      Number.NaN,
    ]);
  }
  for (const help of text.match(/^# HELP .*/gm) ?? []) expect(help).toMatch(/^# HELP \w+ [A-Z].*\.$/);
});
