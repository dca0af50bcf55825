import { type Deps, type Labels, messageOf } from '../../../../framework/base/index.ts';
import { createBoundedLabel, OTHER } from '../../../../framework/base/telemetry/bounded-label.ts';
import type { MetricsPage } from '../../../../framework/process/index.ts';
import type { Database } from '../database/database.ts';
import { type ClusterStatus, FAILED, statusId } from '../model/cluster-status.ts';
import type { Mothership } from '../model/mothership.ts';

export interface DatabaseMetricsOptions
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
