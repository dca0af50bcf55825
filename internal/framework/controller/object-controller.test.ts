import { expect, test } from '@jest/globals';
import { createDeps } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import { createFakeWatchedObject } from '../base/errors/fake-watched-object.ts';
import { jsonEqual } from '../base/json/json-value.ts';
import { nopLogger, nopMetrics } from '../base/telemetry/telemetry.ts';
import { sleep } from '../base/time/clock.ts';
import { createFakeClock, type FakeClock } from '../base/time/fake-clock.ts';
import { createInformers } from '../kube/cache/informers.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { createMemoryClient, type MemoryClient } from '../kube/fakes/memory-client.ts';
import { clusterWidgets, type Widget, widget } from '../kube/fakes/widget.ts';
import { type ConfigMap, keyOf } from '../kube/object/object.ts';
import { configMaps } from '../kube/object/resource-type.ts';
import { gatedKind, type ReconciledKind } from './object-controller.ts';
import type { WithStatus } from './reconcile/working-copy.ts';
import { done, requeueInProgress } from './reconcile-result.ts';

/** The kind runs. */
async function run<T extends WithStatus, M = unknown>(
  kind: ReconciledKind<T, M>,
  { clock, client }: { readonly clock: FakeClock; readonly client: MemoryClient },
) {
  const common = { client, clock, log: nopLogger, metrics: nopMetrics };
  const built = gatedKind(kind, {
    ...createDeps(common),
    client,
    informers: createInformers(common),
    recorderFor: createFakeRecorder,
  }).build();
  const stop = built.start();
  built.controller.watch();
  built.controller.work();
  await clock.advance(1);
  return {
    name: built.controller.name,
    stop: async () => {
      await built.controller.stop();
      stop();
    },
  };
}

/** The kind runs with one ConfigMap. */
async function runOne<M>(kind: Omit<ReconciledKind<ConfigMap, M>, 'type'>) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const metadata = { name: 'a', namespace: 'shop' };
  const key = keyOf(client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }));
  return { client, clock, key, ...(await run({ type: configMaps, ...kind }, { clock, client })) };
}

test('the controller of a kind of the core group is named after the kind', async () => {
  const { name, stop } = await runOne({ reconcile: async () => done });
  expect(name).toBe('configmap');
  await stop();
});

test('a change of a target of an error requeues the object, until a reconcile succeeds', async () => {
  const target = createFakeWatchedObject();
  let found = false;
  let reconciles = 0;
  const { clock, stop } = await runOne({
    backoff: { baseMs: 3_600_000, maxMs: 3_600_000 },
    reconcile: async () => {
      reconciles++;
      if (!found) throw new ProviderError('not-found', 'no such Secret', { targets: [target] });
      return done;
    },
  });
  expect([reconciles, target.watchers()]).toEqual([1, 1]);
  found = true;
  target.change();
  await clock.advance(1000);
  expect([reconciles, target.watchers()]).toEqual([2, 0]);
  await stop();
});

test('limit keys are those of the last own write, which the watch may not have yet', async () => {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  client.seed(clusterWidgets, widget(clusterWidgets));
  const sizes: (number | undefined)[] = [];
  let release: () => void = () => undefined;
  const { stop } = await run<Widget>(
    {
      type: clusterWidgets,
      limitKeysOf: ({ status }) => {
        sizes.push(status?.atProvider?.size);
        return [];
      },
      reconcile: async ({ object, putStatus }, { signal }) => {
        if (object.status !== undefined) return done;
        release = client.holdWatches();
        object.status = { atProvider: { size: 3 } };
        await putStatus(signal);
        return requeueInProgress(100);
      },
    },
    { clock, client },
  );
  await clock.advance(200);
  expect(sizes).toEqual([undefined, 3]);
  release();
  await stop();
});

test('[B165] failures wait for the backoff of the kind, and an operation in progress does not reset it', async () => {
  const times: number[] = [];
  const outcomes = ['fails', 'in progress', 'fails', 'in progress', 'fails', 'done'];
  const { clock, stop } = await runOne({
    backoff: { baseMs: 1000, maxMs: 4000 },
    reconcile: async (_, context) => {
      times.push(Math.round(context.clock.monotonic() / 100) * 100);
      const outcome = outcomes.shift();
      if (outcome === 'fails') throw new Error('refused');
      return outcome === 'in progress' ? requeueInProgress(100) : done;
    },
  });
  await clock.advance(20_000);
  expect(times).toEqual([0, 1000, 1100, 3100, 3200, 7200]);
  await stop();
});

test('the memory of an object lasts until the object is gone', async () => {
  const counts: number[] = [];
  const { client, clock, key, stop } = await runOne<number>({
    reconcile: async (_, { memory }) => {
      const count = (memory.get() ?? 0) + 1;
      memory.set(count);
      counts.push(count);
      return done;
    },
  });
  await client.mergePatch(configMaps, key, { metadata: { labels: { touched: 'yes' } } });
  await clock.advance(1000);
  await client.delete(configMaps, key);
  await clock.advance(1000);
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key });
  await clock.advance(1000);
  expect(counts).toEqual([1, 2, 1]);
  await stop();
});

test('an object that follows another one of its name between two reconciles has no memory of that', async () => {
  const counts: number[] = [];
  let end = () => {};
  const { client, clock, key, stop } = await runOne<number>({
    reconcile: async (_, { memory }) => {
      const count = (memory.get() ?? 0) + 1;
      memory.set(count);
      counts.push(count);
      await new Promise<void>((ended) => {
        end = ended;
      });
      return done;
    },
  });
  await client.delete(configMaps, key);
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key });
  end();
  await clock.advance(1000);
  end();
  expect(counts).toEqual([1, 1]);
  await stop();
});

test('a status that others change between the read and a destructive write is reconciled, though the watch reports it with the own write', async () => {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const metadata = { name: 'w', finalizers: ['example.org/external'] };
  const key = keyOf(client.seed(clusterWidgets, widget(clusterWidgets, { metadata })));
  let release = () => {};
  const seen: unknown[] = [];
  const { stop } = await run<Widget>(
    {
      type: clusterWidgets,
      finalizer: 'example.org/external',
      predicate: (old, object) => !jsonEqual(old.status, object.status),
      reconcile: async (copy, { guard, signal }) => {
        const { object } = copy;
        seen.push(object.status?.atProvider?.size);
        if (seen.length > 1) return done;
        await guard.acquireOwnership();
        release = client.holdWatches();
        await client.mergePatch(clusterWidgets, key, statusOf(9), { subresource: 'status' });
        await guard.beforeWrite({ destructive: true });
        object.metadata.annotations = { step: 'deleted' };
        await copy.put(signal);
        return done;
      },
    },
    { clock, client },
  );
  client.expireWatches();
  await clock.advance(2000);
  expect(seen).toEqual([undefined, 9]);
  release();
  await stop();
});

const statusOf = (size: number) => ({ status: { atProvider: { size } } });

/** A cluster for ConfigMaps of several namespaces. */
function namespaces() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const seed = (namespace: string, name: string, annotations: Readonly<Record<string, string>> = {}) =>
    client.seed(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name, annotations },
    });
  return { clock, client, seed };
}

/** Reconciles of 100 ms each with eight workers, of 2000 objects of a hostile namespace. */
async function beside(annotations: Readonly<Record<string, string>> = {}) {
  const { clock, client, seed } = namespaces();
  for (let n = 0; n < 2000; n++) seed('hostile', `a${n}`, annotations);
  const inProgress = { hostile: 0, honest: 0 };
  const { stop } = await run(
    {
      type: configMaps,
      workers: 8,
      reconcile: async ({ object }) => {
        const of = object.metadata.namespace as keyof typeof inProgress;
        inProgress[of]++;
        await sleep(clock, 100);
        inProgress[of]--;
        return done;
      },
    },
    { clock, client },
  );
  return {
    clock,
    client,
    inProgress,
    [Symbol.asyncDispose]: async () => {
      const stopped = stop();
      await clock.advance(200);
      await stopped;
    },
  };
}

test('a tenant has all workers while it is alone, and a quarter of them beside others', async () => {
  await using at = await beside();
  const { clock, client, inProgress } = at;
  await clock.advance(150);
  expect(inProgress).toEqual({ hostile: 8, honest: 0 });
  await client.create(configMaps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'honest', name: 'z' } },
  });
  await clock.advance(1000);
  expect(inProgress.hostile).toBe(2);
  await clock.advance(11_000);
  expect(inProgress).toEqual({ hostile: 8, honest: 0 });
});

test.each([
  ['64 KiB', 64 * 1024, 2],
  ['63 KiB', 63 * 1024, 8],
])('two objects of a tenant that are heavy are in progress, also alone: %s', async (_, size, most) => {
  await using at = await beside({ text: 'x'.repeat(size) });
  await at.clock.advance(150);
  expect(at.inProgress.hostile).toBe(most);
});

test.each([
  ['its namespace by default', undefined, 'shop'],
  ['whom the kind names', () => 'account a', 'account a'],
])('the calls of a reconcile are told for whom it works: %s', async (_, tenantOf, told) => {
  const tenants: string[] = [];
  const { stop } = await runOne({
    ...(tenantOf === undefined ? {} : { tenantOf }),
    reconcile: async (_object, { reserve }) => {
      tenants.push(reserve.tenant);
      return done;
    },
  });
  expect(tenants).toEqual([told]);
  await stop();
});

test('objects of one namespace take turns with those of another, however many there are', async () => {
  const { clock, client, seed } = namespaces();
  for (let n = 0; n < 200; n++) seed('a-hostile', `a${n}`);
  for (let n = 0; n < 5; n++) seed('honest', `z${n}`);
  const order: string[] = [];
  const { stop } = await run(
    {
      type: configMaps,
      workers: 1,
      // Beside what else limits them.
      limitKeysOf: () => [],
      reconcile: async ({ object }) => {
        order.push(object.metadata.namespace ?? '');
        await sleep(clock, 10);
        return done;
      },
    },
    { clock, client },
  );
  await clock.advance(300);
  // A turn are 16, which share what they read.
  expect(order.slice(0, 21).filter((namespace) => namespace === 'honest')).toHaveLength(5);
  const stopped = stop();
  await clock.advance(20);
  await stopped;
});
