import { expect, test } from '@jest/globals';
import { NotLeaderError } from '../base/concurrency/fence.ts';
import { createDeps } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import { createFakeWatchedObject } from '../base/errors/fake-watched-object.ts';
import { nopLogger } from '../base/telemetry/logger.ts';
import { nopMetrics } from '../base/telemetry/metrics.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createInformers } from '../kube/cache/informers.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import { type ConfigMap, keyOf } from '../kube/object/object.ts';
import { configMaps } from '../kube/object/resource-type.ts';
import { gatedKind, type ObjectControllerOptions, type ReconciledKind } from './object-controller.ts';
import { done, requeueInProgress } from './reconcile-result.ts';

/** The kind runs with one object. */
async function run<M>(
  kind: Omit<ReconciledKind<ConfigMap, M>, 'type'>,
  options: Partial<ObjectControllerOptions> = {},
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const metadata = { name: 'a', namespace: 'shop' };
  const object = client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const common = { client, clock, log: nopLogger, metrics: nopMetrics };
  const built = gatedKind<ConfigMap, M>(
    { type: configMaps, ...kind },
    {
      ...createDeps(common),
      client,
      informers: createInformers(common),
      recorderFor: createFakeRecorder,
      ...options,
    },
  ).build();
  const stop = built.start();
  built.controller.watch();
  built.controller.work();
  await clock.advance(1);
  return {
    client,
    clock,
    name: built.controller.name,
    key: keyOf(object),
    stop: async () => {
      await built.controller.stop();
      stop();
    },
  };
}

test('the controller of a kind of the core group is named after the kind', async () => {
  const { name, stop } = await run({ reconcile: async () => done });
  expect(name).toBe('configmap');
  await stop();
});

test('a change of a target of an error requeues the object, until a reconcile succeeds', async () => {
  const target = createFakeWatchedObject();
  let found = false;
  let reconciles = 0;
  const { clock, stop } = await run({
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

test('failures wait for the backoff of the kind, and an operation in progress does not reset it', async () => {
  const times: number[] = [];
  const outcomes = ['fails', 'in progress', 'fails', 'in progress', 'fails', 'done'];
  const { clock, stop } = await run({
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
  const { client, clock, key, stop } = await run<number>({
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

test('the guard of a reconcile asks the fence before an external write', async () => {
  let leads = true;
  const outcomes: unknown[] = [];
  const { client, clock, key, stop } = await run(
    {
      finalizer: 'example.org/external',
      reconcile: async (_, { guard }) => {
        await guard.acquireOwnership();
        outcomes.push(
          await guard.beforeWrite().then(
            () => 'may write',
            (error: unknown) => error,
          ),
        );
        return done;
      },
    },
    {
      fence: () => {
        if (!leads) throw new NotLeaderError('another replica leads');
      },
    },
  );
  leads = false;
  await client.mergePatch(configMaps, key, { metadata: { labels: { touched: 'yes' } } });
  await clock.advance(1000);
  expect(outcomes).toEqual(['may write', new NotLeaderError('another replica leads')]);
  await stop();
});
