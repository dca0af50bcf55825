import type { Metrics } from '../base/telemetry/metrics.ts';

export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error';

/** The `controller_runtime_*` metrics of one controller. Names are those of controller-runtime. */
export interface ControllerMetrics {
  workers(count: number): void;
  started(): void;
  ended(outcome: ReconcileOutcome, seconds: number): void;
  terminalError(): void;
  panic(): void;
  timeout(): void;
  /** Removes the gauges of an ended controller; counters stay. */
  close(): void;
}

/** The buckets of controller-runtime: 5 ms to 60 s. */
const TIME_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const OUTCOMES: readonly ReconcileOutcome[] = ['success', 'requeue', 'requeue_after', 'error'];

/** @param waitingForSlots number of requests that wait for a slot of a limit key; called on each scrape */
export function createControllerMetrics(
  metrics: Metrics,
  controller: string,
  waitingForSlots: () => number,
): ControllerMetrics {
  const own = { controller };
  const labels = ['controller'];
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels });
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  });
  const errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that ended with an error.');
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that ended with an error that is not retried.',
  );
  const panics = counter(
    'controller_runtime_reconcile_panics_total',
    'Reconciles that ended with a programming error.',
  );
  const timeouts = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that exceeded their deadline.',
  );
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles.',
    labels,
    buckets: TIME_BUCKETS,
  });
  const concurrency = metrics.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Workers of the controller.',
    labels,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Workers that are reconciling.',
    labels,
  });
  const waiting = metrics.gauge({
    name: 'controller_requests_waiting_for_slot',
    help: 'Reconcile requests that wait, without a worker, for a slot of a limit key (a cluster or host).',
    labels,
  });
  for (const count of [errors, terminal, panics, timeouts]) count.inc(own, 0);
  for (const result of OUTCOMES) total.inc({ ...own, result }, 0);
  let running = 0;
  let removeScrapeHook = () => {};
  return {
    workers: (count) => {
      concurrency.set(count, own);
      removeScrapeHook = metrics.onScrape(() => {
        active.set(running, own);
        waiting.set(waitingForSlots(), own);
      });
    },
    started: () => {
      running++;
    },
    ended: (outcome, seconds) => {
      running--;
      time.observe(seconds, own);
      total.inc({ ...own, result: outcome });
      if (outcome === 'error') errors.inc(own);
    },
    terminalError: () => terminal.inc(own),
    panic: () => panics.inc(own),
    timeout: () => timeouts.inc(own),
    close: () => {
      removeScrapeHook();
      for (const gauge of [concurrency, active, waiting]) gauge.remove(own);
    },
  };
}
