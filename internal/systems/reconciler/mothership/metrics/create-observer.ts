import type { Metrics } from '../../../../framework/base/index.ts';
import { createBoundedLabel } from '../../../../framework/base/telemetry/bounded-label.ts';

import type { ClusterStatus } from '../model/cluster-status.ts';
import type { Observer } from '../model/observer.ts';
import type { EndedOperation } from '../model/reconciliation.ts';

/** Statuses with which a reconciliation ends. */
const RESULTS = [
  'ready',
  'error',
  'reconcile_error_retryable',
  'deleted',
  'delete_error',
  'delete_error_retryable',
] as const satisfies ClusterStatus[];

/** 15 buckets from 100 ms, doubling. */
const DURATION_BUCKETS_MS = Array.from({ length: 15 }, (_, index) => 100 * 2 ** index);

export interface ObserverOptions {
  readonly metrics: Metrics;
  /** Whether durations of operations are observed: the variable PROCESSING_DURATION_METRICS_ENABLED. */
  readonly durations: boolean;
}

/** Counts what this process did, when it has happened. */
export function createObserver({ metrics, durations }: ObserverOptions): Observer {
  const results = metrics.counter({
    name: 'reconciler_reconciliations_total',
    help: 'Reconciliations that ended in this process, by the status they ended with.',
    labels: ['result'],
  });
  for (const result of RESULTS) results.inc({ result }, 0);
  return {
    reconciliationEnded: (result) => results.inc({ result }),
    ...(durations ? { operationEnded: observeDurations(metrics) } : {}),
  };
}

function observeDurations(metrics: Metrics): (operation: EndedOperation) => void {
  const durations = metrics.histogram({
    name: 'reconciler_processing_time',
    help: 'Durations of operations that ended in this process, in ms.',
    labels: ['component', 'metric'],
    buckets: DURATION_BUCKETS_MS,
  });
  const componentLabel = createBoundedLabel();
  return ({ state, lifetimeMs, claimedMs, processingDurationMs, ...operation }) => {
    const component = componentLabel(operation.component);
    const result = state === 'done' ? 'successful' : 'unsuccessful';
    const observe = (what: string, ms: number) =>
      durations.observe(ms, { component, metric: `${what}_${result}_milliseconds` });
    observe('operation_lifetime_mothership', lifetimeMs);
    if (claimedMs === undefined) return;
    observe('operation_processing_duration_mothership', claimedMs);
    observe('operation_processing_duration_reconciler', processingDurationMs);
  };
}
