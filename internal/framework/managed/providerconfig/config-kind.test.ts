import { afterEach, describe, expect, test } from '@jest/globals';
import { createDeps } from '../../base/deps.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { gatedKind } from '../../controller/object-controller.ts';
import { createInformers } from '../../kube/cache/informers.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { keyOf } from '../../kube/object/object.ts';
import { configKind, usedConfigs } from './config-kind.ts';
import type { ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { clusterKinds, configOfCluster, usageOf } from './usage/usage.fixture.ts';
import { slimUsage } from './usage/usage.ts';
import { createUsages } from './usage/usages.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The whole controller on an API server in memory. */
async function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const common = { ...createDeps({ clock, random: () => 0.5, metrics: createFakeMetrics() }), client };
  const { config: type, usage: usageType } = clusterKinds;
  const informers = createInformers(common);
  const usageCache = informers.of(usageType, { transform: slimUsage });
  const usages = createUsages({ client, type: usageType, cache: usageCache });
  const recorder = createFakeRecorder();
  const kind = configKind({ type, kinds: clusterKinds, usageCache, usages, clock });
  const run = gatedKind(kind, { ...common, informers, recorderFor: () => recorder }).build();
  const { controller } = run;
  ends.push(run.start(), () => controller.stop());
  controller.watch();
  await clock.advance(0);
  controller.work();
  const users = (count: number) =>
    Array.from({ length: count }, (_, i) => usageOf('Cluster', { name: 'prod' }, { name: `usage-${i}` }));
  return {
    clock,
    client,
    recorder,
    name: controller.name,
    create: () => client.create(type, configOfCluster),
    use: async (count: number) => {
      for (const usage of users(count)) await client.create(usageType, usage);
    },
    unuse: (i: number) => client.delete(usageType, { name: `usage-${i}` }),
    remove: () => client.delete(type, keyOf(configOfCluster)),
    stored: () => client.peek(type, keyOf(configOfCluster)),
    writes: () => client.requests.filter(({ verb }) => verb === 'update').length,
  };
}

describe('the controller of provider configurations', () => {
  test('is named after its kind', async () => {
    expect((await setup()).name).toBe('providerconfig/providerconfig.example.org');
  });

  test('holds a new configuration and counts its users as they come and go', async () => {
    const h = await setup();
    await h.create();
    await h.clock.advance(0);
    expect(h.stored()?.metadata.finalizers).toEqual(['in-use.crossplane.io']);
    await h.use(2);
    await h.clock.advance(1000);
    expect(h.stored()?.status?.users).toBe(2);
    await h.unuse(0);
    await h.clock.advance(1000);
    expect(h.stored()?.status?.users).toBe(1);
  });

  test('writes the number of users once a second at most, however many come', async () => {
    const h = await setup();
    await h.create();
    await h.clock.advance(5000);
    const before = h.writes();
    await h.use(50);
    await h.clock.advance(0);
    expect(h.writes()).toBe(before + 1);
    await h.clock.advance(1000);
    expect(h.stored()?.status?.users).toBe(50);
    expect(h.writes()).toBe(before + 2);
    await h.clock.advance(60_000);
    expect(h.writes()).toBe(before + 2);
  });

  test('removes the finalizer with the last user, and records once why not before', async () => {
    const h = await setup();
    await h.create();
    await h.use(2);
    await h.clock.advance(1000);
    await h.remove();
    await h.clock.advance(1000);
    await h.unuse(0);
    await h.clock.advance(1000);
    expect(h.stored()?.status).toMatchObject({ users: 1, conditions: [{ reason: 'InUse' }] });
    await h.unuse(1);
    await h.clock.advance(1000);
    expect(h.stored()).toBeUndefined();
    expect(h.recorder.lines()).toHaveLength(1);
  });

  test('restores its finalizer if another client removed it', async () => {
    const h = await setup();
    await h.create();
    await h.clock.advance(1000);
    const stored = h.stored() as ProviderConfig;
    await h.client.update(clusterKinds.config, {
      ...stored,
      metadata: { ...stored.metadata, finalizers: [] },
    });
    await h.clock.advance(1000);
    expect(h.stored()?.metadata.finalizers).toEqual(['in-use.crossplane.io']);
  });

  test('has nothing to do for usages of what does not exist', async () => {
    const h = await setup();
    await h.use(1);
    await h.clock.advance(5000);
    expect(h.writes()).toBe(0);
  });
});

describe('an event of a usage', () => {
  const usage = (name: string, over = {}) => usageOf('Cluster', { name }, over);

  test.each([
    { from: undefined, to: usage('new'), keys: ['new'], reason: 'one user more' },
    { from: usage('new'), to: undefined, keys: ['new'], reason: 'one user less' },
    { from: usage('old'), to: usage('new'), keys: ['old', 'new'], reason: 'both numbers change' },
    {
      from: usage('new', { finalizers: ['x'] }),
      to: usage('new'),
      keys: [],
      reason: 'finalizers count for nothing',
    },
    {
      from: usage('new', { ownerReferences: [] }),
      to: usage('new'),
      keys: ['new'],
      reason: 'only owned usages count',
    },
    { from: undefined, to: usage('missing'), keys: [], reason: 'there is no such configuration' },
  ])('concerns $keys: $reason', ({ from, to, keys }) => {
    const usages = createFakeCache<ProviderConfigUsage>();
    if (from !== undefined) usages.put(from);
    const configs = { get: (key: string) => (key === 'missing' ? undefined : configOfCluster) };
    const found: string[] = [];
    const source = usedConfigs(usages, configs, { kind: undefined, delayMs: () => 0 });
    const stop = source.start((key) => found.push(key));
    found.length = 0;
    if (to !== undefined) usages.put(to);
    else if (from !== undefined) usages.remove(from);
    stop();
    expect(found).toEqual(keys);
  });
});
