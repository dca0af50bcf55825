import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { createFakeMetrics, type FakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { type Logger, nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { KubeApiError } from '../errors/errors.ts';
import { apiError, createMemoryClient, type MemoryClient } from '../fakes/memory-client.ts';
import type { ConfigMap, Secret } from '../object/object.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import type { CacheEvent } from './cache.ts';
import {
  createInformer,
  createMetadataInformer,
  type Informer,
  type InformerOptions,
  type StoppableInformer,
} from './informer.ts';
import { dropBookkeeping } from './transform.ts';

let clock: FakeClock;
let client: MemoryClient;
let metrics: FakeMetrics;
let logged: string[];

beforeEach(() => {
  clock = createFakeClock();
  client = createMemoryClient({ clock });
  metrics = createFakeMetrics();
  logged = [];
});

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

const configMap = (name: string, x = '1'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'shop',
    managedFields: [{}],
    annotations: { [lastApplied]: '{}', mine: 'yes' },
  },
  data: { x },
});

const failures = (cluster = 'management') =>
  metrics.value('kube_informer_failures_total', { cluster, resource: 'configmaps' });

function informer(more: Partial<InformerOptions<ConfigMap>> = {}) {
  const note = (level: string) => (message: string) => logged.push(`${level} ${message}`);
  const log: Logger = { ...nopLogger, debug: note('debug'), info: note('info'), error: note('error') };
  return createInformer<ConfigMap>({
    client,
    type: configMaps,
    clock,
    random: () => 0.5,
    log,
    metrics,
    ...more,
  });
}

test('has the objects of the server, and emits initial events, then changes', async () => {
  client.seed(configMaps, configMap('a'));
  const cache = informer();
  const events: string[] = [];
  cache.subscribe((event) =>
    events.push(`${event.type} ${event.object.metadata.name} ${'initial' in event ? event.initial : ''}`),
  );
  const stop = cache.start();
  expect(cache.hasSynced()).toBe(false);
  await cache.whenSynced();
  await client.create(configMaps, configMap('b'));
  await client.mergePatch(configMaps, { namespace: 'shop', name: 'a' }, { data: { x: '2' } });
  await client.delete(configMaps, { namespace: 'shop', name: 'b' });
  await clock.advance(0);
  expect(events).toEqual(['added a true', 'added b false', 'updated a ', 'deleted b ']);
  expect(cache.get('shop/a')?.data).toEqual({ x: '2' });
  expect(cache.list()).toHaveLength(1);
  stop();
});

test('a handler that subscribes later gets initial events for known objects', async () => {
  client.seed(configMaps, configMap('a'));
  const cache = informer();
  const stop = cache.start();
  await cache.whenSynced();
  const events: CacheEvent<ConfigMap>[] = [];
  const end = cache.subscribe((event) => events.push(event));
  end();
  await client.create(configMaps, configMap('b'));
  await clock.advance(0);
  expect(events).toMatchObject([{ type: 'added', initial: true, object: { metadata: { name: 'a' } } }]);
  stop();
});

describe('objects', () => {
  test('are trimmed and frozen through and through, since all readers share them', async () => {
    client.seed(configMaps, configMap('a'));
    const cache = informer();
    const stop = cache.start();
    await cache.whenSynced();
    const object = cache.get('shop/a');
    expect(object?.metadata.managedFields).toBeUndefined();
    expect(() => {
      if (object?.data) object.data.x = 'changed';
    }).toThrow(TypeError);
    expect(() => {
      if (object?.metadata.annotations) delete object.metadata.annotations.mine;
    }).toThrow(TypeError);
    stop();
  });

  test('keep what kubectl remembers, which a PUT of the cached object would otherwise destroy', async () => {
    client.seed(configMaps, configMap('a'));
    const [kept, dropped] = [informer(), informer({ transform: dropBookkeeping })];
    const stops = [kept.start(), dropped.start()];
    await Promise.all([kept.whenSynced(), dropped.whenSynced()]);
    expect(Object.keys(kept.get('shop/a')?.metadata.annotations ?? {})).toEqual([lastApplied, 'mine']);
    expect(Object.keys(dropped.get('shop/a')?.metadata.annotations ?? {})).toEqual(['mine']);
    for (const stop of stops) stop();
  });

  test('of a metadata informer have no content, and none was asked for', async () => {
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      data: { x: 'eA==' },
    };
    client.seed(secrets, secret);
    const full: string[] = [];
    const spied = {
      ...client,
      list: () => Promise.reject(new Error(`listed in full ${full.push('list')}`)),
      watch: () => {
        full.push('watch');
        throw new Error('watched in full');
      },
    };
    const cache = createMetadataInformer({ client: spied, type: secrets, clock, log: nopLogger });
    const stop = cache.start();
    await cache.whenSynced();
    expect(cache.get('shop/s')).not.toHaveProperty('data');
    expect(full).toEqual([]);
    stop();
  });
});

describe('trouble', () => {
  test('is reported, logged once, counted, and over when the watch is established', async () => {
    const end = client.onRequest(() => {
      throw apiError(403, 'Forbidden');
    });
    const cache = informer();
    const stop = cache.start();
    await clock.advance(10_000);
    expect(cache.hasSynced()).toBe(false);
    expect(cache.problem()?.text).toContain('Forbidden');
    expect(cache.problem()?.forMs).toBeGreaterThan(5000);
    expect(logged.filter((line) => line.startsWith('info'))).toEqual(['info the watch failed']);
    expect(failures()).toBeGreaterThan(2);
    end();
    await clock.advance(10_000);
    expect([cache.hasSynced(), cache.problem()]).toEqual([true, undefined]);
    stop();
  });

  test('in a handler stays there: the others hear, and the informer lives', async () => {
    const cache = informer();
    const events: string[] = [];
    cache.subscribe(() => {
      throw new Error('boom');
    });
    cache.subscribe(({ type }) => events.push(type));
    const stop = cache.start();
    await cache.whenSynced();
    await client.create(configMaps, configMap('a'));
    await client.create(configMaps, configMap('b'));
    await clock.advance(0);
    expect(events).toEqual(['added', 'added']);
    expect(logged).toContain('error an informer handler failed');
    stop();
  });
});

describe('reading', () => {
  const reads = (cache: Informer<ConfigMap>) => [() => cache.get('shop/a'), () => cache.list()];

  test('what nothing watches is a bug rather than an empty answer; subscribing to it is not reading', () => {
    const cache = informer();
    const handled: unknown[] = [];
    cache.subscribe((event) => handled.push(event));
    for (const read of reads(cache)) {
      expect(read).toThrow(new ProviderError('bug', 'nothing watches configmaps on memory cluster'));
    }
    expect([cache.hasSynced(), cache.isStarted(), handled]).toEqual([false, false, []]);
  });

  test.each<{ when: string; after: (cache: StoppableInformer<ConfigMap>, stop: () => void) => void }>([
    { when: 'before the first list, for handlers', after: () => undefined },
    { when: 'after a stop', after: (_cache, stop) => stop() },
    { when: 'after the end of all users', after: (cache) => cache.stop() },
    {
      when: 'after the kind was removed',
      after: (cache, stop) => {
        stop();
        cache.forget();
      },
    },
  ])('is allowed $when', ({ after }) => {
    const cache = informer();
    after(cache, cache.start());
    for (const read of reads(cache)) expect(read).not.toThrow();
    cache.stop();
  });
});

test('ended for all its users it follows no more, until it is started again', async () => {
  const cache = informer();
  const stops = [cache.start(), cache.start()];
  await cache.whenSynced();
  cache.stop();
  for (const stop of stops) stop();
  expect(cache.isStarted()).toBe(false);
  await client.create(configMaps, configMap('a'));
  await clock.advance(60_000);
  expect(cache.list()).toEqual([]);
  const again = cache.start();
  await clock.advance(0);
  expect([cache.isStarted(), cache.list().length]).toEqual([true, 1]);
  again();
});

test('of another cluster names it in problems and metrics', async () => {
  client.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable');
  });
  const cluster = { name: 'gardener', displayName: 'cluster garden.example', required: false };
  const [own, other] = [informer(), informer({ cluster })];
  expect(() => other.list()).toThrow('nothing watches configmaps on cluster garden.example');
  const stops = [own.start(), other.start()];
  await clock.advance(0);
  expect([own.cluster, other.cluster]).toEqual([
    { name: 'management', displayName: 'memory cluster', required: true },
    cluster,
  ]);
  expect([own.problem(), other.problem()].map((problem) => problem?.cluster)).toEqual([
    undefined,
    'gardener',
  ]);
  expect([failures(), failures('gardener')]).toEqual([1, 1]);
  for (const stop of stops) stop();
});

test('the first list is tried when it is there, or has failed once', async () => {
  const [listed, failing] = [informer(), informer()];
  const tried: string[] = [];
  const waits = [
    listed.whenTried().then(() => tried.push('listed')),
    failing.whenTried().then(() => tried.push('failed')),
  ];
  await clock.advance(1000);
  expect(tried).toEqual([]);
  const stops = [listed.start()];
  await clock.advance(0);
  expect(tried).toEqual(['listed']);
  client.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable');
  });
  stops.push(failing.start());
  await Promise.all(waits);
  expect([tried, failing.hasSynced()]).toEqual([['listed', 'failed'], false]);
  await Promise.all([listed.whenTried(), failing.whenTried()]);
  for (const stop of stops) stop();
});

test('the wait for the first list can be aborted', async () => {
  const cache = informer();
  const stop = new AbortController();
  const waiting = cache.whenSynced(stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toBe(stop.signal.reason);
  await expect(cache.whenSynced(stop.signal)).rejects.toBe(stop.signal.reason);
});

test('may be stopped and started again, and then emits the missed changes', async () => {
  client.seed(configMaps, configMap('a'));
  const cache = informer();
  cache.start()();
  const stop = cache.start();
  await cache.whenSynced();
  stop();
  await clock.advance(0);
  await client.delete(configMaps, { namespace: 'shop', name: 'a' });
  const events: string[] = [];
  cache.subscribe(({ type }) => events.push(type));
  const again = cache.start();
  await clock.advance(0);
  expect(events).toEqual(['added', 'deleted']);
  again();
});

test('started by several follows until the last of them stops it, and keeps its objects until then', async () => {
  const cache = informer();
  const [first, second] = [cache.start(), cache.start()];
  await cache.whenSynced();
  expect(client.requests.filter(({ verb }) => verb === 'list')).toHaveLength(1);
  first();
  first();
  cache.forget();
  client.seed(configMaps, configMap('late'));
  await clock.advance(0);
  expect([cache.hasSynced(), cache.list().map(({ metadata }) => metadata.name)]).toEqual([true, ['late']]);
  second();
  cache.forget();
  expect(cache.list()).toEqual([]);
});

test('whose kind is removed emits deletions of all objects and can be started again', async () => {
  client.seed(configMaps, configMap('a'));
  const cache = informer();
  const stop = cache.start();
  await clock.advance(0);
  const events: string[] = [];
  cache.subscribe((event) => events.push(`${event.type} ${event.object.metadata.name}`));
  stop();
  cache.forget();
  expect(events).toEqual(['added a', 'deleted a']);
  expect([cache.list(), cache.hasSynced(), cache.problem()]).toEqual([[], false, undefined]);
  const again = cache.start();
  await clock.advance(0);
  again();
  expect(events.slice(2)).toEqual(['added a']);
  expect(cache.hasSynced()).toBe(true);
});

test('a kind that the server does not serve differs from other problems', async () => {
  const cache = informer();
  let status = 404;
  client.onRequest(() => {
    const attempt = { verb: 'list', object: 'configmaps', clusterName: 'memory cluster' };
    throw new KubeApiError(attempt, { httpStatus: status });
  });
  const stop = cache.start();
  await clock.advance(0);
  expect(cache.problem()).toMatchObject({ kindMissing: true });
  await clock.advance(60_000);
  // It is waited for, which is no failure each time anew.
  expect(client.requests.length).toBeGreaterThan(5);
  expect(failures()).toBe(1);
  status = 403;
  await clock.advance(30_000);
  expect(cache.problem()).toMatchObject({ kindMissing: false });
  stop();
});
