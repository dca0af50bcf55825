import { type Deps, type Labels, type Metrics, messageOf, sleep } from '../../../framework/base/index.ts';
import { createBoundedLabel, OTHER } from '../../../framework/base/telemetry/bounded-label.ts';
import type { MetricsPage, Runnable } from '../../../framework/process/index.ts';
import type { Database } from './database/database.ts';
import { type ClusterStatus, FAILED, statusId } from './model/cluster.ts';
import type { Mothership, Observer, Occupancy } from './model/mothership.ts';
import type { EndedOperation } from './model/reconciliation.ts';

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

interface DatabaseMetricsOptions
  extends Pick<Deps, 'clock' | 'log' | 'metrics'>,
    Pick<Mothership, 'inventory' | 'occupancy' | 'rollouts'> {
  readonly database: Pick<Database, 'stats'>;
  /** Whether the occupancy of worker pools is shown. */
  readonly occupancyTracked: boolean;
  /** The page of all metrics. */
  readonly page: MetricsPage;
}

/** Scrapes within this time, in ms, share what was read: the database must not pay for each scraper. */
const FRESH_MS = 5000;
/** The same for the status of all clusters. */
const STATUSES_FRESH_MS = 15_000;
/**
 * Clusters with a series of their own: each has names of up to 1,000 characters, which are in memory and in each scrape. The oldest ones,
 * so that a tenant who registers very many takes the series of no other.
 */
const SERIES = { perTenant: 2000, limit: 20_000 };
/** A scrape does not wait longer for the database, in ms; it then shows older values. */
const PATIENCE_MS = 3000;

/** Metrics that are read from the database when they are scraped. @returns the page with them */
export function withDatabaseMetrics(options: DatabaseMetricsOptions): MetricsPage {
  const { clock, log, metrics, inventory, occupancy, rollouts, database, page } = options;
  const gauge = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.gauge({ name: `reconciler_${name}`, help, labels });
  const waiting = gauge('reconciliation_waiting_total', 'Clusters that wait for a reconciliation.');
  const notReady = gauge(
    'reconciliation_not_ready_total',
    'Clusters whose last run failed, or that are deleted.',
  );
  const paused = gauge('rollouts_paused', 'Versions and components whose rollout is paused.', ['kind']);
  const status = gauge('reconciliation_status', 'Status of each cluster, as a number.', [
    'runtime_id',
    'runtime_name',
    'global_accountid',
    'plan_name',
  ]);
  const pool = gauge('db_pool_stats', 'Connections to the database.', ['pool', 'metric']);
  const ratio = options.occupancyTracked
    ? gauge('worker_pool_occupancy_ratio', 'Busy workers of each component, in percent.', ['component'])
    : undefined;
  metrics.onScrape(() => {
    for (const [metric, value] of Object.entries(database.stats()))
      pool.set(value, { pool: 'default', metric });
  });

  const statuses = createSeries(status);
  const ratios = ratio && createSeries(ratio);
  const readCounts = sharedFor(FRESH_MS, clock, async () => {
    const counts = await inventory.counts();
    waiting.set(counts.waiting);
    notReady.set(counts.notReady);
    for (const [kind, count] of Object.entries(await rollouts.pausedCounts())) paused.set(count, { kind });
    if (ratios === undefined) return;
    const found = await occupancy.ratios();
    const label = createBoundedLabel();
    ratios.replace(
      [...found].flatMap(([component, value]) =>
        label(component) === component
          ? [{ labels: { component: component.replaceAll('-', '_') }, value }]
          : [],
      ),
    );
  });
  const readStatuses = sharedFor(STATUSES_FRESH_MS, clock, async () => {
    const shown = await inventory.all(SERIES);
    const totals = await inventory.totals();
    const series = shown.map((runtime) => ({
      labels: {
        runtime_id: runtime.runtimeId,
        runtime_name: runtime.runtimeName,
        global_accountid: runtime.globalAccountId,
        plan_name: runtime.planName,
      },
      value: statusId(runtime.status),
    }));
    if (totals.clusters <= shown.length) return statuses.replace(series);
    const isFailed = totals.failed > shown.filter(({ status }) => failed.has(status)).length;
    statuses.replace([...series, { labels: OTHERS, value: statusId(isFailed ? 'error' : 'ready') }]);
  });

  return {
    contentType: page.contentType,
    text: async () => {
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(PATIENCE_MS, late.resolve);
      const read = Promise.all([readCounts(), readStatuses()]).catch((error: unknown) =>
        log.info('cannot read metrics from the database', { error: messageOf(error) }),
      );
      await Promise.race([read, late.promise]);
      cancel();
      return page.text();
    },
  };
}

const failed: ReadonlySet<ClusterStatus> = new Set(FAILED);

/** Of all clusters without a series of their own: ready, or failed if one of them is. */
const OTHERS: Labels = {
  runtime_id: OTHER,
  runtime_name: OTHER,
  global_accountid: OTHER,
  plan_name: OTHER,
};

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A gauge whose series are replaced as a whole. */
function createSeries(gauge: { set(value: number, labels?: Labels): void; remove(labels: Labels): void }) {
  let known = new Map<string, Labels>();
  return {
    replace: (samples: readonly Sample[]) => {
      const next = new Map(samples.map(({ labels }) => [Object.values(labels).join('\0'), labels]));
      for (const [key, labels] of known) if (!next.has(key)) gauge.remove(labels);
      for (const { labels, value } of samples) gauge.set(value, labels);
      known = next;
    },
  };
}

/** Calls in progress, and those that ended less than `ms` ago, are shared; one that failed is not. */
function sharedFor(ms: number, clock: Deps['clock'], read: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let freshUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (last !== undefined && clock.monotonic() < freshUntil) return last;
    freshUntil = Number.POSITIVE_INFINITY;
    const current = read();
    last = current;
    current.then(
      () => {
        freshUntil = clock.monotonic() + ms;
      },
      () => {
        last = undefined;
      },
    );
    return current;
  };
}
