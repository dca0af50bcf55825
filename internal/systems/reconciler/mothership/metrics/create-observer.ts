import { type Deps, type Metrics, messageOf, sleep } from '../../../../framework/base/index.ts';
import { createBoundedLabel } from '../../../../framework/base/telemetry/bounded-label.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';
import type { Observer, Occupancy } from '../model/mothership.ts';
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

interface ObserverOptions {
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

interface OccupancyTrackerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly occupancy: Occupancy;
  /** Name of this process: its host. */
  readonly poolId: string;
  readonly poolSize: number;
  /** Workers that are busy now. */
  readonly running: () => number;
}

const COMPONENT = 'mothership';
/** The number changes with each task, and the autoscaler reads it every half minute. In ms. */
const REPORT_INTERVAL_MS = 5000;
/** A pool that does not change is reported as often as component reconcilers report theirs, in ms. */
const IDLE_INTERVAL_MS = 30_000;
const CLEAN_INTERVAL_MS = 60_000;
/** Component reconcilers report every 30 s, and every two minutes while they are refused, in ms. */
const MAX_SILENCE_MS = 300_000;

/** Reports the workers of this process, and removes the pools of processes that have ended without a word. */
export function createOccupancyTracker(options: OccupancyTrackerOptions): Runnable {
  const { occupancy, poolId, poolSize, clock, log } = options;
  let reported: number | undefined;
  let reportedAt = 0;
  let cleanedAt = clock.monotonic();

  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log.info(`cannot ${what}`, { error: messageOf(error) });
    }
  };
  const report = async () => {
    const now = clock.monotonic();
    const runningWorkers = Math.min(options.running(), poolSize);
    if (runningWorkers === reported && now - reportedAt < IDLE_INTERVAL_MS) return;
    await attempt('report the occupancy', () =>
      occupancy.report({ poolId, component: COMPONENT, runningWorkers, poolSize }),
    );
    reported = runningWorkers;
    reportedAt = now;
  };
  const clean = async () => {
    if (clock.monotonic() - cleanedAt < CLEAN_INTERVAL_MS) return;
    cleanedAt = clock.monotonic();
    await attempt('remove pools without reports', () => occupancy.removeSilent(MAX_SILENCE_MS));
  };

  return {
    name: 'occupancy of workers',
    start: async (signal) => {
      while (!signal.aborted) {
        await report();
        await clean();
        await sleep(clock, REPORT_INTERVAL_MS, signal).catch(() => undefined);
      }
      await attempt('remove the own pool', () => occupancy.remove(poolId));
    },
  };
}
