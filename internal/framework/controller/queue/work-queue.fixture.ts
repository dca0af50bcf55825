import { createConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import {
  createQueueMetrics,
  createWorkQueue,
  type RequestInProgress,
  type WorkQueueOptions,
} from './work-queue.ts';

type Options = Partial<Pick<WorkQueueOptions, 'limitKeysOf' | 'lowSlots' | 'rate'>>;

/** A queue of the controller `c`, with a clock and metrics that a test reads. */
export function setUpQueue(options: Options = {}, clock: FakeClock = createFakeClock()) {
  const metrics = createFakeMetrics();
  const backoff = createBackoff();
  const queueMetrics = createQueueMetrics(metrics, clock, 'c');
  const queue = createWorkQueue({
    clock,
    backoff,
    limiter: createConcurrencyLimiter({ clock }),
    metrics: queueMetrics,
    ...options,
  });
  /** Takes what can be taken now. */
  const takeAll = async () => {
    const taken: Pick<RequestInProgress, 'key' | 'priority' | 'paced'>[] = [];
    while (queue.depth() > 0) {
      const next = await queue.take();
      if (next === undefined) continue;
      const { key, priority, paced } = next;
      taken.push({ key, priority, paced });
    }
    return taken;
  };
  const keys = async () => (await takeAll()).map((t) => t.key);
  /** Starts workers that wait for a request each. Returns what they have taken so far, in order. */
  const startWorkers = (count: number): readonly string[] => {
    const taken: string[] = [];
    for (let i = 0; i < count; i++)
      void queue.take().then((request) => {
        if (request !== undefined) taken.push(request.key);
      });
    return taken;
  };
  return { clock, metrics, queueMetrics, backoff, queue, takeAll, keys, startWorkers };
}
