import type { Metrics } from '../../base/telemetry/telemetry.ts';
import type { Clock } from '../../base/time/clock.ts';

/** The `workqueue_*` metrics of one queue. Names are those of client-go. */
export interface QueueMetrics {
  /** Until `work` there are no workers, as in a replica that does not lead: no request counts as one that waits. */
  hold(): void;
  work(): void;
  added(): void;
  retried(): void;
  /** The request is due. */
  queued(key: string, priority: number): void;
  reprioritized(from: number, to: number): void;
  /** @param openSince when its limit keys had slots again; undefined: they always had */
  taken(key: string, priority: number, openSince: number | undefined): void;
  /** The request left the queue without being reconciled. */
  dropped(key: string, priority: number): void;
  finished(key: string): void;
  /** Removes the gauges of an ended queue; counters stay. */
  close(): void;
}

/** The buckets of client-go: 10 ns to 1000 s in steps of ten. */
const DURATION_BUCKETS = Array.from({ length: 12 }, (_, i) => 1e-8 * 10 ** i);

/** @param name of the controller, the value of the labels `name` and `controller` */
export function createQueueMetrics(metrics: Metrics, clock: Clock, name: string): QueueMetrics {
  const own = { name, controller: name };
  const labels = ['name', 'controller'];
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Requests that are due and not in progress.',
    labels: [...labels, 'priority'],
  });
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Requests added.', labels });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Requests added after a failure.',
    labels,
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that requests waited for a worker, without the wait for slots of their limit keys.',
    labels,
    buckets: DURATION_BUCKETS,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long keys were in progress.',
    labels,
    buckets: DURATION_BUCKETS,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Time spent so far on all keys in progress.',
    labels,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Longest time spent so far on one key in progress.',
    labels,
  });
  const queuedAt = new Map<string, number>();
  const takenAt = new Map<string, number>();
  const seconds = (since: number) => (clock.monotonic() - since) / 1000;
  /** Requests in the queue by priority. A priority that was used once stays, with 0. */
  const depths = new Map<number, number>();
  const count = (priority: number, by: number) => void depths.set(priority, (depths.get(priority) ?? 0) + by);
  let isHeld = false;
  let workSince = 0;
  const removeScrapeHook = metrics.onScrape(() => {
    for (const [priority, keys] of depths)
      depth.set(isHeld ? 0 : keys, { ...own, priority: String(priority) });
    const running = [...takenAt.values()].map(seconds);
    unfinished.set(
      running.reduce((sum, s) => sum + s, 0),
      own,
    );
    longest.set(Math.max(0, ...running), own);
  });
  return {
    hold: () => {
      isHeld = true;
    },
    work: () => {
      isHeld = false;
      workSince = clock.monotonic();
    },
    added: () => adds.inc(own),
    retried: () => retries.inc(own),
    queued: (key, priority) => {
      queuedAt.set(key, clock.monotonic());
      count(priority, 1);
    },
    reprioritized: (from, to) => {
      count(from, -1);
      count(to, 1);
    },
    taken: (key, priority, openSince = 0) => {
      const since = queuedAt.get(key) ?? clock.monotonic();
      waited.observe(seconds(Math.max(since, openSince, workSince)), own);
      queuedAt.delete(key);
      takenAt.set(key, clock.monotonic());
      count(priority, -1);
    },
    dropped: (key, priority) => {
      queuedAt.delete(key);
      count(priority, -1);
    },
    finished: (key) => {
      worked.observe(seconds(takenAt.get(key) ?? clock.monotonic()), own);
      takenAt.delete(key);
    },
    close: () => {
      removeScrapeHook();
      for (const gauge of [unfinished, longest]) gauge.remove(own);
      for (const priority of depths.keys()) depth.remove({ ...own, priority: String(priority) });
    },
  };
}
