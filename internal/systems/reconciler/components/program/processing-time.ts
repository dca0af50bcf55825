import { createBoundedLabel } from '../../../../framework/base/telemetry/bounded-label.ts';
import type { Metrics } from '../../../../framework/base/telemetry/metrics.ts';
import type { TaskResult } from '../runner/run-task.ts';

/** 11 buckets from one second, doubling. */
const BUCKETS_MS = Array.from({ length: 11 }, (_, index) => 1000 * 2 ** index);

/** Observes how long tasks took. One that was cancelled has no result. */
export function createProcessingTime(metrics: Metrics) {
  const durations = metrics.histogram({
    name: 'reconciler_processing_time',
    help: 'Durations of tasks that ended in this process, with all their attempts, in ms.',
    labels: ['component', 'metric'],
    buckets: BUCKETS_MS,
  });
  const componentLabel = createBoundedLabel();
  return (component: string, { state, durationMs }: Pick<TaskResult, 'state' | 'durationMs'>): void => {
    if (state === 'cancelled') return;
    const result = state === 'success' ? 'successful' : 'unsuccessful';
    durations.observe(durationMs, {
      component: componentLabel(component),
      metric: `processing_duration_${result}_millisecond`,
    });
  };
}
