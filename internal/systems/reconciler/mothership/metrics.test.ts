import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createPrometheusMetrics } from '../../../framework/process/telemetry/prometheus.ts';
import { withDatabaseMetrics } from './metrics.ts';
import type { ClusterStatus } from './model/cluster.ts';
import type { ClusterBounds } from './model/inventory.ts';

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
