import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../../framework/base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createPrometheusMetrics } from '../../../framework/process/telemetry/prometheus.ts';
import { createObserver, createOccupancyTracker, withDatabaseMetrics } from './metrics.ts';
import type { ClusterStatus } from './model/cluster.ts';
import type { ClusterBounds } from './model/inventory.ts';
import type { EndedOperation } from './model/reconciliation.ts';

/** The series of a mothership that shows these clusters, and has so many. */
async function statusSeries(
  shown: Readonly<Record<string, ClusterStatus>>,
  totals: { readonly clusters: number; readonly failed: number },
) {
  const metrics = createPrometheusMetrics();
  const asked: (ClusterBounds | undefined)[] = [];
  const inventory = {
    all: async (bounds?: ClusterBounds) => {
      asked.push(bounds);
      return Object.entries(shown).map(([runtimeId, status]) => ({
        ...{ runtimeId, status, runtimeName: `name of ${runtimeId}`, globalAccountId: 'g', planName: 'p' },
        ...{ kymaVersion: '2', configVersion: 1, statusSince: new Date(0) },
      }));
    },
    totals: async () => totals,
    counts: async () => ({ waiting: 0, notReady: 0 }),
  };
  const page = withDatabaseMetrics({
    ...{ clock: createFakeClock(), log: nopLogger, metrics, page: metrics, occupancyTracked: false },
    inventory: inventory as never,
    occupancy: {} as never,
    rollouts: { pausedCounts: async () => ({}) } as never,
    database: { stats: () => ({}) } as never,
  });
  const lines = (await page.text())
    .split('\n')
    .filter((line) => /^reconciler_reconciliation_status\{/.test(line));
  return { asked, series: lines.map((line) => line.replace(/^.*runtime_id="([^"]*)".*\} /, '$1 ')) };
}

test('the oldest clusters of each tenant have a series, and all others share one: that of the worst', async () => {
  const few = await statusSeries({ a: 'ready', b: 'error' }, { clusters: 2, failed: 1 });
  expect(few).toEqual({ asked: [{ perTenant: 2000, limit: 20_000 }], series: ['a 1', 'b 0'] });
  const { series } = await statusSeries({ a: 'ready', b: 'error' }, { clusters: 90_000, failed: 1 });
  expect(series).toEqual(['a 1', 'b 0', 'other 1']);
  const failed = await statusSeries({ a: 'ready', b: 'error' }, { clusters: 90_000, failed: 2 });
  expect(failed.series).toEqual(['a 1', 'b 0', 'other 0']);
});

/** The page of a mothership on a database that a test changes. */
function scraped() {
  const clock = createFakeClock();
  const metrics = createPrometheusMetrics();
  const database = { reads: 0, answer: async () => {}, ratios: new Map<string, number>() };
  const inventory = {
    ...{ all: async () => [], totals: async () => ({ clusters: 0, failed: 0 }) },
    counts: async () => {
      database.reads++;
      await database.answer();
      return { waiting: database.reads, notReady: 0 };
    },
  };
  const page = withDatabaseMetrics({
    ...{ clock, log: nopLogger, metrics, page: metrics, occupancyTracked: true },
    inventory: inventory as never,
    occupancy: { ratios: async () => database.ratios } as never,
    rollouts: { pausedCounts: async () => ({}) } as never,
    database: { stats: () => ({}) } as never,
  });
  const waiting = async () => /^reconciler_reconciliation_waiting_total (\d+)$/m.exec(await page.text())?.[1];
  return { clock, database, page, waiting };
}

test('scrapes share for five seconds what was read, and not a failure', async () => {
  const { clock, database, waiting } = scraped();
  database.answer = () => Promise.reject(new Error('no database'));
  await waiting();
  database.answer = async () => {};
  expect(await waiting()).toBe('2');
  await clock.advance(4000);
  expect(await waiting()).toBe('2');
  await clock.advance(1500);
  expect(await waiting()).toBe('3');
});

test('a scrape waits three seconds for the database, and shows older values then', async () => {
  const { clock, database, waiting } = scraped();
  expect(await waiting()).toBe('1');
  await clock.advance(6000);
  database.answer = () => new Promise<never>(() => {});
  const late = waiting();
  await clock.advance(3000);
  expect(await late).toBe('1');
});

test('a component without workers has no occupancy any more', async () => {
  const { clock, database, page } = scraped();
  const shown = async () => [
    ...(await page.text()).matchAll(/_occupancy_ratio\{component="(.*)"\} (\d+)$/gm),
  ];
  const ratios = async () => (await shown()).map(([, component, value]) => `${component} ${value}`);
  database.ratios = new Map([
    ['a-b', 50],
    ['c', 10],
  ]);
  expect(await ratios()).toEqual(['a_b 50', 'c 10']);
  database.ratios = new Map([['a-b', 60]]);
  await clock.advance(6000);
  expect(await ratios()).toEqual(['a_b 60']);
});

describe('the workers of this process', () => {
  const SIZE = 5;
  const SILENCE_MS = 300_000;

  function started() {
    const clock = createFakeClock();
    const calls: string[] = [];
    const state = { running: 0 };
    const occupancy = {
      report: async ({ runningWorkers }: { readonly runningWorkers: number }) =>
        void calls.push(`report ${runningWorkers}`),
      remove: async (poolId: string) => void calls.push(`remove ${poolId}`),
      removeSilent: async (ageMs: number) => void calls.push(`remove silent ${ageMs}`),
    };
    const stop = new AbortController();
    const ended = createOccupancyTracker({
      ...{ clock, log: nopLogger, occupancy: occupancy as never },
      ...{ poolId: 'host', poolSize: SIZE, running: () => state.running },
    }).start(stop.signal, stop.signal);
    const of = (what: string) => calls.filter((call) => call.startsWith(what));
    return { clock, calls, state, of, stop: () => stop.abort(new Error('stopped')), ended };
  }

  test('are reported when their number changes, and twice a minute while it does not', async () => {
    const { clock, state, of, stop, ended } = started();
    await clock.advance(0);
    expect(of('report')).toEqual(['report 0']);
    state.running = 9;
    await clock.advance(5000);
    expect(of('report')).toEqual(['report 0', `report ${SIZE}`]);
    await clock.advance(60_000);
    expect(of('report').slice(2)).toEqual([`report ${SIZE}`, `report ${SIZE}`]);
    stop();
    await ended;
  });

  test('pools that say nothing are removed once a minute, and the own one at the end', async () => {
    const { clock, calls, of, stop, ended } = started();
    await clock.advance(130_000);
    expect(of('remove')).toEqual([`remove silent ${SILENCE_MS}`, `remove silent ${SILENCE_MS}`]);
    stop();
    await ended;
    expect(calls.at(-1)).toBe('remove host');
  });
});

test.each<[what: string, claimedMs: number | undefined, observed: readonly (readonly number[])[]]>([
  ['that was claimed at once', 0, [[7], [0], [3]]],
  ['that nothing has claimed', undefined, [[7], [], []]],
])('the durations of an operation %s', (_, claimedMs, observed) => {
  const metrics = createFakeMetrics();
  const { operationEnded } = createObserver({ metrics, durations: true });
  operationEnded?.({
    ...{ component: 'a', state: 'done', lifetimeMs: 7, processingDurationMs: 3 },
    claimedMs,
  } as EndedOperation);
  const durations = ['operation_lifetime', 'operation_processing_duration'].map(
    (what) => `${what}_mothership`,
  );
  expect(
    [...durations, 'operation_processing_duration_reconciler'].map((what) =>
      metrics.observations('reconciler_processing_time', {
        component: 'a',
        metric: `${what}_successful_milliseconds`,
      }),
    ),
  ).toEqual(observed);
});
