import { describe, expect, test } from '@jest/globals';
import { createByteBudget } from '../../base/collections/byte-budget.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../fakes/memory-client.ts';
import { reply, startScriptedServer } from '../fakes/scripted-server.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps } from '../object/resource-type.ts';
import { type ClusterSettings, createCluster } from './cluster.ts';

const configMap: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'a', uid: 'u' },
};

function setup(settings: ClusterSettings = {}) {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const client = createMemoryClient({ clock });
  const cluster = createCluster({ clock, metrics, random: () => 0.5, client, ...settings });
  return { clock, metrics, client, cluster };
}

test('is the management cluster, trusted and required, unless it is said', () => {
  expect(setup().cluster).toMatchObject({
    name: 'management',
    displayName: 'memory cluster',
    required: true,
    trust: 'trusted',
    limits: { connections: 32, maxResponseBytes: 64 * 1024 * 1024 },
  });
  const settings = { name: 'remote', required: false, trust: 'hostile' } as const;
  expect(setup(settings).cluster).toMatchObject({ ...settings, limits: { connections: 8 } });
});

describe('from a config', () => {
  test.each<{ settings: ClusterSettings; displayName: string; host: string }>([
    { settings: {}, displayName: 'management cluster', host: '<server>' },
    { settings: { name: 'gardener' }, displayName: 'cluster <server>', host: '<server>' },
    { settings: { name: 'gardener', displayName: 'Gardener' }, displayName: 'Gardener', host: '<server>' },
    { settings: { name: 'remote', trust: 'hostile' }, displayName: 'cluster <server>', host: 'remote' },
  ])('%j has its name in messages and metrics', async ({ settings, displayName, host }) => {
    const server = await startScriptedServer(reply(404, ''));
    const address = new URL(server.url).host;
    const { clock, metrics } = setup();
    const config = { server: server.url, credentials: async () => ({ headers: {} }) };
    const cluster = createCluster({ clock, metrics, config, ...settings });
    try {
      const expected = displayName.replace('<server>', address);
      expect(cluster.displayName).toBe(expected);
      const read = cluster.reads.get(configMaps, configMap.metadata, AbortSignal.timeout(5000));
      await expect(read).rejects.toThrow(`cannot get ConfigMap shop/a on ${expected}`);
      const labels = { cluster: settings.name ?? 'management', host: host.replace('<server>', address) };
      expect(metrics.value('rest_client_requests_total', { code: '404', method: 'GET', ...labels })).toBe(1);
    } finally {
      await cluster.close();
      await server.close();
    }
  });

  test('closing it closes its connections', async () => {
    const server = await startScriptedServer(reply(404, ''));
    const config = { server: server.url, credentials: async () => ({ headers: {} }) };
    const cluster = createCluster({ clock: createFakeClock(), config });
    try {
      await cluster.client.get(configMaps, configMap.metadata).catch(() => undefined);
      expect(server.open()).toBe(1);
      await cluster.close();
      while (server.open() > 0) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      await server.close();
    }
  });
});

test('a part that is not used starts nothing', async () => {
  const { clock, client, cluster, metrics } = setup({ name: 'remote' });
  const series: string[] = [];
  const counter: typeof metrics.counter = (options) => {
    series.push(options.name);
    return metrics.counter(options);
  };
  createCluster({ clock, client, metrics: { ...metrics, counter } });
  await clock.advance(60_000);
  await cluster.close();
  expect([client.requests, series, clock.pending()]).toEqual([[], [], 0]);
});

test('events that were dropped are counted by cluster', async () => {
  const { client, cluster, metrics } = setup({ name: 'gardener' });
  client.onRequest(() => {
    throw apiError(403, 'Forbidden');
  });
  cluster.events.recorderFor('tests').record(configMap, 'Normal', 'Created', 'first');
  await cluster.close();
  expect(metrics.value('events_dropped_total', { cluster: 'gardener', why: 'refused' })).toBe(1);
});

test('events are of the cluster, and written before it is closed', async () => {
  const { client, cluster, clock } = setup({ name: 'gardener' });
  expect(cluster.events).toBe(cluster.events);
  const { record } = cluster.events.recorderFor('tests');
  record(configMap, 'Normal', 'Created', 'first');
  await cluster.close();
  expect(client.requests.map(({ verb, type }) => `${verb} ${type.plural}`)).toEqual(['create events']);
  record(configMap, 'Normal', 'Created', 'late');
  await clock.advance(0);
  expect(client.requests).toHaveLength(1);
});

test('informers are of the cluster: they have its name, show its problem and end with it', async () => {
  const { client, clock, cluster } = setup({ name: 'gardener', required: false });
  client.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable');
  });
  const informer = cluster.informers.of(configMaps);
  expect(informer.cluster).toEqual({ name: 'gardener', displayName: 'memory cluster', required: false });
  expect(cluster.problem()).toBeUndefined();
  informer.start();
  await clock.advance(1000);
  expect(cluster.problem()).toMatchObject({ cluster: 'gardener', forMs: 1000 });
  await cluster.close();
  await clock.advance(0);
  expect([informer.isStarted(), cluster.problem(), clock.pending()]).toEqual([false, undefined, 0]);
});

test.each<{ reason: string; settings: ClusterSettings }>([
  { reason: 'of a hostile cluster have their own limit', settings: { trust: 'hostile' } },
  { reason: 'may share one with other clusters', settings: { names: createByteBudget(1000) } },
])('watched names $reason', async ({ settings }) => {
  const { client, cluster, clock } = setup(settings);
  for (let n = 0; n < 200; n++) {
    const name = `${n}-${'x'.repeat(240)}`.padEnd(20_000, 'x');
    client.seed(configMaps, { ...configMap, metadata: { namespace: 'shop', name, uid: name } });
  }
  cluster.objectWatcher.watch(configMaps, { namespace: 'shop', name: 'a' }, 'absent', () => undefined);
  await clock.advance(10_000);
  // With GET instead of a watch.
  expect(client.requests.some(({ verb }) => verb === 'get')).toBe(true);
  await cluster.close();
});
