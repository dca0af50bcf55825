import { afterEach, describe, expect, test } from '@jest/globals';
import { createDeps } from '../../base/deps.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { gatedKind } from '../../controller/object-controller.ts';
import { createInformer } from '../../kube/cache/informer.ts';
import { createInformers } from '../../kube/cache/informers.ts';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { keyOf } from '../../kube/object/object.ts';
import { createFakeExternal, type FakeExternalBehaviour } from '../fakes/fake-external.ts';
import { clusterWidgets as type, type Widget } from '../fakes/managed-harness.ts';
import { createManagedController } from '../managed-controller.ts';
import { createProviderConfigs } from './provider-configs.ts';
import { clusterKinds, configOfCluster, user } from './usage/usage.fixture.ts';
import { usageFinalizer } from './usage/usage.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Configurations, usages and a kind that uses them, all with their controllers, on an API server in memory. */
async function setup(behaviour: FakeExternalBehaviour<Widget>, { configsRun = true } = {}) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const common = { ...createDeps({ clock, random: () => 0.5, metrics: createFakeMetrics() }), client };
  const recorder = createFakeRecorder();
  const informers = createInformers(common);
  const configs = createProviderConfigs({ ...common, informers, kinds: clusterKinds });
  const cache = createInformer<Widget>({ ...common, type });
  const managed = createManagedController<Widget>({
    ...common,
    cache,
    recorder,
    kind: {
      type,
      connector: createFakeExternal<Widget>(behaviour).connector,
      deterministicExternalName: true,
      observeAfterCreate: true,
      configUse: configs.useOf(type, { readsConfig: false }),
    },
  });
  const kinds = configsRun ? configs.kinds : [];
  const runs = kinds.map((kind) =>
    gatedKind(kind, { ...common, informers, recorderFor: () => recorder }).build(),
  );
  const controllers = [...runs.map(({ controller }) => controller), managed];
  ends.push(...runs.map((run) => run.start()), cache.start());
  ends.push(...controllers.map((controller) => () => controller.stop()));
  for (const controller of controllers) controller.watch();
  await clock.advance(0);
  for (const controller of controllers) controller.work();
  await client.create(clusterKinds.config, configOfCluster);
  // The name of its usage.
  let uid = '';
  await clock.advance(0);
  return {
    clock,
    client,
    create: async () => {
      const { metadata } = await client.create(type, user('Cluster', { name: 'prod' }));
      uid = metadata.uid ?? '';
      await clock.advance(0);
    },
    mark: () => {
      const before = client.requests.length;
      return () =>
        client.requests
          .slice(before)
          .map(({ verb, type: { kind } }) => `${verb} ${kind}`)
          .filter((request) => !request.startsWith('watch'));
    },
    delete: async (propagationPolicy?: 'Foreground') => {
      await client.delete(type, { name: 'w' }, propagationPolicy ? { propagationPolicy } : {});
      await clock.advance(0);
    },
    /** As the garbage collector does once the owner is gone, or before it in the foreground. */
    collect: async () => {
      await client.delete(clusterKinds.usage, { name: uid }).catch(() => undefined);
      await clock.advance(0);
    },
    widget: () => client.peek(type, { name: 'w' }),
    usage: () => client.peek(clusterKinds.usage, { name: uid }),
    config: () => client.peek(clusterKinds.config, keyOf(configOfCluster)),
  };
}
const present = { state: 'present', upToDate: true } as const;
const created = [{ state: 'absent' as const, externalName: 'a/b' }, present];

describe('resources and their provider configuration', () => {
  test('a new resource costs one write for its usage, and a settled one no request for any of it', async () => {
    const h = await setup({ observe: created });
    const since = h.mark();
    await h.create();
    expect(since().filter((request) => /Widget|Usage/.test(request))).toEqual([
      'create Widget',
      'create ProviderConfigUsage',
      'update Widget',
      'update Widget',
      'update Widget',
    ]);
    await h.clock.advance(5000);
    const settled = h.mark();
    await h.clock.advance(600_000);
    expect(settled()).toEqual([]);
    expect(h.config()?.status?.users).toBe(1);
  });

  test('a resource that goes takes its usage along, and then the configuration may go', async () => {
    let gone = false;
    const h = await setup({
      observe: () => (gone ? { state: 'absent' } : present),
      delete: () => {
        gone = true;
        return {};
      },
    });
    await h.create();
    await h.client.delete(clusterKinds.config, keyOf(configOfCluster));
    await h.clock.advance(1000);
    expect(h.config()?.status).toMatchObject({ users: 1, conditions: [{ reason: 'InUse' }] });
    await h.delete();
    await h.clock.advance(2000);
    expect(h.widget()).toBeUndefined();
    await h.collect();
    await h.clock.advance(1000);
    expect(h.usage()).toBeUndefined();
    expect(h.config()).toBeUndefined();
  });

  test('in the foreground the usage outlasts its own deletion until the resource is finalized', async () => {
    let gone = false;
    const h = await setup({ observe: () => (gone ? { state: 'absent' } : present) });
    await h.create();
    await h.delete('Foreground');
    await h.collect();
    await h.clock.advance(2000);
    expect(h.usage()?.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: [usageFinalizer],
    });
    expect(h.config()?.status?.users).toBe(1);
    gone = true;
    await h.clock.advance(60_000);
    expect(h.usage()).toBeUndefined();
    expect(h.widget()?.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  test('a resource that went before it had a finalizer leaves no usage behind', async () => {
    const h = await setup({ observe: new Error('boom') });
    await h.create();
    expect(h.usage()?.metadata.finalizers).toEqual([usageFinalizer]);
    await h.delete();
    expect(h.widget()).toBeUndefined();
    await h.collect();
    await h.clock.advance(1000);
    expect(h.usage()).toBeUndefined();
  });

  test('while configurations are not reconciled, those that exist can be used', async () => {
    const h = await setup({ observe: present }, { configsRun: false });
    await h.create();
    await h.clock.advance(5000);
    expect(h.widget()?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Synced', status: 'True' }),
    );
  });

  test('a changed reference counts for the new configuration only', async () => {
    const h = await setup({ observe: present });
    await h.create();
    await h.clock.advance(2000);
    expect(h.config()?.status?.users).toBe(1);
    await h.client.mergePatch(type, { name: 'w' }, { spec: { providerConfigRef: { name: 'default' } } });
    await h.clock.advance(2000);
    expect(h.usage()?.providerConfigRef).toEqual({ name: 'default' });
    expect(h.config()?.status?.users).toBe(0);
  });
});
