import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { apiError } from '../fakes/memory-client.ts';
import { reply, startScriptedServer } from '../fakes/scripted-server.ts';
import type { Secret } from '../object/object.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import { createCluster } from './cluster.ts';
import {
  createPoolHarness,
  key,
  kubeconfig,
  one,
  type PoolHarness,
  ref,
  secret,
  signal,
  two,
} from './cluster-pool.fixture.ts';
import { createClusterPool } from './cluster-pool.ts';

let h: PoolHarness;
beforeEach(() => {
  h = createPoolHarness();
});
afterEach(() => h.close());

test('clusters whose Secrets are in one namespace share what their watches may receive and remember', async () => {
  const at = async (namespace: string, name: string) => {
    const of = { namespace, name };
    h.management.seed(secrets, { ...secret(kubeconfig(one)), metadata: of });
    (await h.pool.acquire({ ...ref, secret: of }, signal)).release();
    return h.settings.at(-1);
  };
  const [a, b, other] = [await at('a', 'one'), await at('a', 'two'), await at('b', 'one')];
  expect(a?.watchRate).toBeDefined();
  expect(b?.watchRate).toBe(a?.watchRate);
  expect(b?.names).toBe(a?.names);
  expect(b?.watches).toBe(a?.watches);
  expect(b?.buffers).toBe(a?.buffers);
  expect(other?.watchRate).not.toBe(a?.watchRate);
  // A namespace leaves memory for others.
  for (const memory of ['names', 'watches', 'buffers'] as const) {
    while (a?.[memory]?.take(1024 * 1024) === true);
    expect(other?.[memory]?.take(1024 * 1024)).toBe(true);
  }
});

test('an unused cluster ends with its Secret', async () => {
  h.management.seed(secrets, secret(kubeconfig(one)));
  (await h.pool.acquire(ref, signal)).release();
  await h.settle();
  await h.management.delete(secrets, key);
  await h.settle();
  expect(h.closed).toEqual([one]);
});

test('a namespace keeps a number of unused clusters, and takes no place of others', async () => {
  const acquire = (namespace: string, n: number) => {
    const metadata = { namespace, name: `kyma-${n}` };
    h.management.seed(secrets, { ...secret(kubeconfig(`https://${n}.${namespace}`)), metadata });
    return h.pool.acquire({ ...ref, secret: metadata }, signal);
  };
  (await acquire('other', 0)).release();
  const inUse = await acquire('hostile', 0);
  const watched = await acquire('hostile', 1);
  const stop = watched.cluster.objectWatcher.watch(configMaps, { namespace: 'a', name: 'b' }, '1', () => {});
  watched.release();
  for (let n = 2; n < 300; n++) (await acquire('hostile', n)).release();
  // One that is watched is among them.
  expect(h.closed).toEqual(Array.from({ length: 299 - 256 }, (_, n) => `https://${n + 2}.hostile`));
  inUse.release();
  stop.stop();
});

test('a namespace without kubeconfigs leaves nothing of its share behind', async () => {
  h.management.seed(secrets, secret(kubeconfig(one)));
  (await h.pool.acquire(ref, signal)).release();
  await h.management.delete(secrets, key);
  await expect(h.pool.acquire(ref, signal)).rejects.toThrow(ProviderError);
  h.management.seed(secrets, secret(kubeconfig(one)));
  (await h.pool.acquire(ref, signal)).release();
  const [first, second] = h.settings;
  expect(second?.names).toBeDefined();
  expect(second?.names).not.toBe(first?.names);
});

describe('all users of one kubeconfig', () => {
  test('share one connection and one object watcher, and one read of the Secret if they come together', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const leases = await Promise.all(Array.from({ length: 20 }, () => h.pool.acquire(ref, signal)));
    expect(new Set(leases.map(({ cluster }) => cluster)).size).toBe(1);
    expect([h.connected.length, h.reads()]).toEqual([1, 1]);
    for (const lease of leases) lease.release();
  });

  test('take no more than eight connections, however many they are', async () => {
    const server = await startScriptedServer(reply(200, { metadata: { namespace: 'a', name: 'b' } }));
    const own = createClusterPool({
      client: h.management,
      objectWatcher: h.objectWatcher,
      clock: h.clock,
      connect: (config, settings) =>
        createCluster({ config: { ...config, server: server.url }, clock: h.clock, ...settings }),
    });
    try {
      h.management.seed(secrets, secret(kubeconfig(one)));
      const read = async () => {
        const { cluster, release } = await own.acquire(ref, signal);
        await cluster.client.get(configMaps, { namespace: 'a', name: 'b' });
        release();
      };
      await Promise.all(Array.from({ length: 100 }, read));
      expect(server.requests).toHaveLength(100);
      expect(server.connections()).toBe(8);
    } finally {
      own.close();
      await server.close();
    }
  });

  test('share one that turns idle while it is opened again, and the pool closes it', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    (await h.pool.acquire(ref, signal)).release();
    await h.settle();
    await h.put(kubeconfig(two));
    await h.settle();
    const answer = Promise.withResolvers<void>();
    let held = true;
    h.management.onRequest(async ({ verb }) => {
      if (verb === 'get' && held) await answer.promise;
    });
    const first = h.pool.acquire(ref, signal);
    await h.clock.advance(120_000);
    const second = h.pool.acquire(ref, signal);
    await h.clock.advance(0);
    held = false;
    answer.resolve();
    const uses = await Promise.all([first, second]);
    expect(h.connected.map(({ server }) => server)).toEqual([one, two]);
    for (const use of uses) use.release();
    h.pool.close();
    expect(h.closed.toSorted()).toEqual([one, two]);
  });

  test('need no further read while the watch vouches for the Secret', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    (await h.pool.acquire(ref, signal)).release();
    await h.settle();
    for (let i = 0; i < 50; i++) (await h.pool.acquire(ref, signal)).release();
    expect(h.reads()).toBe(1);
  });

  test('with an informer of the Secrets need neither a watch nor a read until it has a newer version', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const old = await h.management.get(secrets, key);
    await h.put(kubeconfig(two));
    const newest = await h.management.get(secrets, key);
    const before = h.reads();
    const acquire = async (found: Secret | undefined) => {
      const use = await h.pool.acquire(ref, signal, { secret: found });
      use.release();
      return h.connected.at(-1)?.server;
    };
    // Behind: the pool has read a newer version.
    for (const found of [old, newest, old, newest]) expect(await acquire(found)).toBe(two);
    await h.settle();
    expect([h.reads() - before, h.objectWatcher.size()]).toEqual([1, 0]);
    await h.put(kubeconfig(one));
    expect(await acquire(await h.management.get(secrets, key))).toBe(one);
    await acquire(undefined);
    await acquire({ ...newest, metadata: { ...newest.metadata, uid: 'another' } });
    expect(h.reads() - before).toBe(5);
  });

  test('whose Secret this process has stored need no read of it; what is wrong with one is said when it is used', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const stored = await h.management.get(secrets, key);
    const before = h.reads();
    h.pool.learn(ref, stored);
    // At first the informer does not have it.
    for (const found of [undefined, stored]) (await h.pool.acquire(ref, signal, { secret: found })).release();
    expect([h.connected.map(({ server }) => server), h.reads() - before]).toEqual([[one], 0]);
    (await h.pool.acquire(ref, signal, { secret: undefined })).release();
    expect(h.reads() - before).toBe(1);
    await h.put('no kubeconfig');
    const broken = await h.management.get(secrets, key);
    h.pool.learn(ref, broken);
    await expect(h.pool.acquire(ref, signal, { secret: broken })).rejects.toThrow(
      'cannot use key kubeconfig of Secret crossplane-system/kyma-1',
    );
    expect(h.closed).toEqual([one]);
  });

  test('whose Secret this process has stored wait for their first use longer than for a second one', async () => {
    h.close();
    h = createPoolHarness(2000);
    h.management.seed(secrets, secret(kubeconfig(one)));
    const stored = await h.management.get(secrets, key);
    h.pool.learn(ref, stored);
    await h.clock.advance(30_000);
    expect(h.closed).toEqual([]);
    (await h.pool.acquire(ref, signal, { secret: stored })).release();
    expect(h.connected).toHaveLength(1);
    await h.clock.advance(2000);
    expect(h.closed).toEqual([one]);
    // One that is never used is closed as well.
    h.pool.learn(ref, stored);
    await h.clock.advance(60_000);
    expect(h.closed).toEqual([one, one]);
  });

  test('of another key of the same Secret have a connection of their own', async () => {
    h.management.seed(secrets, secret(kubeconfig(one), { second: kubeconfig(two) }));
    await h.pool.acquire(ref, signal);
    await h.pool.acquire({ ...ref, kubeconfigKey: 'second' }, signal);
    expect(h.connected.map(({ server }) => server)).toEqual([one, two]);
  });
});

describe('a changed Secret', () => {
  test('is read again, and the new cluster used from then on', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const old = await h.pool.acquire(ref, signal);
    await h.settle();
    await h.put(kubeconfig(two));
    await h.clock.advance(0);
    const lease = await h.pool.acquire(ref, signal);
    expect(lease.cluster.displayName).toBe(two);
    expect(h.reads()).toBe(2);
    expect(h.closed).toEqual([]);
    old.release();
    old.release();
    expect(h.closed).toEqual([one]);
  });

  test('notifies subscribers to objects of the old cluster', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const woken = await h.wait();
    await h.put(kubeconfig(two));
    await h.settle();
    expect(woken()).toBe(1);
    expect(h.closed).toEqual([one]);
  });

  test('that is deleted notifies them too', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const woken = await h.wait();
    await h.management.delete(secrets, key);
    await h.settle();
    expect([woken(), h.closed]).toEqual([1, [one]]);
  });

  test('that cannot be read notifies them too', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const woken = await h.wait();
    h.management.onRequest(({ verb }) => {
      if (verb === 'get') throw apiError(500, 'InternalError');
    });
    await h.put(kubeconfig(two));
    await h.settle();
    expect(woken()).toBe(1);
  });

  test('whose kubeconfig is the same keeps its connection, without notifications', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const woken = await h.wait();
    for (let i = 0; i < 3; i++) {
      await h.management.mergePatch(secrets, key, { metadata: { labels: { a: String(i) } } });
      await h.settle();
    }
    (await h.pool.acquire(ref, signal)).release();
    expect([woken(), h.connected.length, h.reads()]).toEqual([0, 1, 4]);
  });

  test('that was deleted and made anew counts as another, even with the same content', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    (await h.pool.acquire(ref, signal)).release();
    await h.settle();
    await h.management.delete(secrets, key);
    await h.management.create(secrets, secret(kubeconfig(one)));
    await h.settle();
    await h.pool.acquire(ref, signal);
    expect(h.connected).toHaveLength(2);
  });
});

test('where watching Secrets is forbidden each acquire reads it, and a rotation is seen by the next one', async () => {
  h.management.onRequest(({ verb }) => {
    if (verb === 'watch') throw apiError(403, 'Forbidden');
  });
  h.management.seed(secrets, secret(kubeconfig(one)));
  for (let i = 0; i < 3; i++) {
    (await h.pool.acquire(ref, signal)).release();
    await h.settle();
  }
  expect([h.connected.length, h.reads()]).toEqual([1, 3]);
  await h.put(kubeconfig(two));
  expect((await h.pool.acquire(ref, signal)).cluster.displayName).toBe(two);
  await h.clock.advance(60_000);
  expect(h.reads()).toBe(4);
});

describe('an unused cluster', () => {
  test('is closed after a while, with the watch on its Secret', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    (await h.pool.acquire(ref, signal)).release();
    await h.clock.advance(59_000);
    expect(h.closed).toEqual([]);
    await h.clock.advance(61_000);
    expect([h.closed, h.objectWatcher.size()]).toEqual([[one], 0]);
  });

  test('is not one with a lease or a subscriber', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    const lease = await h.pool.acquire(ref, signal);
    await h.clock.advance(600_000);
    const stop = lease.cluster.objectWatcher
      .target(configMaps, { namespace: 'a', name: 'b' }, 'absent')
      .watch(() => undefined);
    lease.release();
    await h.clock.advance(600_000);
    expect(h.closed).toEqual([]);
    stop();
    await h.clock.advance(120_000);
    expect(h.closed).toEqual([one]);
  });
});

test('a caller that gives up does not take the read away from the others', async () => {
  h.management.seed(secrets, secret(kubeconfig(one)));
  const answer = Promise.withResolvers<void>();
  h.management.onRequest(() => answer.promise);
  const impatient = new AbortController();
  const first = h.pool.acquire(ref, impatient.signal);
  const second = h.pool.acquire(ref, signal);
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toBe(impatient.signal.reason);
  answer.resolve();
  expect((await second).cluster.displayName).toBe(one);
  expect(h.reads()).toBe(1);
});

test('closing ends all clusters, those being opened too, and leaves no timer', async () => {
  h.management.seed(secrets, secret(kubeconfig(one)));
  (await h.pool.acquire(ref, signal)).release();
  const late = h.pool
    .acquire({ ...ref, kubeconfigKey: 'kubeconfig' }, signal)
    .catch((error: unknown) => error);
  h.pool.close();
  expect(await late).toBeInstanceOf(ProviderError);
  expect(new Set(h.closed)).toEqual(new Set([one]));
  expect(h.closed).toHaveLength(h.connected.length);
  expect(await h.refused()).toMatchObject({ kind: 'transient' });
  h.objectWatcher.close();
  await h.clock.advance(0);
  expect(h.clock.pending()).toBe(0);
});
