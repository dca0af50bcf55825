import { expect, test } from '@jest/globals';
import { createDeps } from '../../base/deps.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { gatedKind } from '../../controller/object-controller.ts';
import { createInformers } from '../../kube/cache/informers.ts';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { createProviderConfigs } from './provider-configs.ts';
import { clusterConfig, configOfNamespace, namespacedKinds } from './usage/usage.fixture.ts';

const { usage, config, clusterConfig: clusterType } = namespacedKinds;

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const open = new Set<string>();
  const common = { ...createDeps({ clock, random: () => 0.5, metrics: createFakeMetrics() }), client };
  const following: typeof client.watch = (type, options) => {
    open.add(type.kind);
    options?.signal?.addEventListener('abort', () => open.delete(type.kind), { once: true });
    return client.watch(type, options);
  };
  const recorder = createFakeRecorder();
  const seen = { ...common, client: { ...client, watch: following } };
  const options = { ...seen, informers: createInformers(seen), recorderFor: () => recorder };
  const configs = createProviderConfigs({ ...options, kinds: namespacedKinds });
  const kinds = configs.kinds.map((kind) => gatedKind(kind, options));
  const begin = async (wanted: ResourceType) => {
    const run = kinds.find(({ keeps }) => keeps?.includes(wanted))?.build();
    if (run === undefined) throw new Error(`no kind of ${wanted.kind}`);
    const stop = run.start();
    run.controller.watch();
    await clock.advance(0);
    run.controller.work();
    await clock.advance(0);
    return async () => {
      await run.controller.stop();
      stop();
      run.forget();
      await clock.advance(0);
    };
  };
  return { clock, client, begin, open: () => [...open].sort(), kinds };
}

test('each type of configurations needs all of its generation to begin, and only itself to stay', () => {
  const { kinds } = setup();
  const all = [config, clusterType, usage];
  expect(kinds.map(({ needs, keeps }) => ({ needs, keeps }))).toEqual([
    { needs: all, keeps: [config] },
    { needs: all, keeps: [clusterType] },
  ]);
});

test('usages are followed as long as configurations of any type are, and not twice', async () => {
  const { begin, open } = setup();
  const ends = [await begin(config), await begin(clusterType)];
  expect(open()).toEqual([clusterType.kind, config.kind, usage.kind].sort());
  await ends[0]?.();
  expect(open()).toEqual([clusterType.kind, usage.kind].sort());
  await ends[1]?.();
  expect(open()).toEqual([]);
});

test('a type that went and is back is worked on as at first', async () => {
  const { begin, client, clock } = setup();
  const finalizersOf = (type: ResourceType, name: string, namespace?: string) =>
    client.peek(type, namespace === undefined ? { name } : { name, namespace })?.metadata.finalizers;
  const end = await begin(config);
  await begin(clusterType);
  await client.create(config, configOfNamespace);
  await clock.advance(2000);
  expect(finalizersOf(config, configOfNamespace.metadata.name, 'shop')).toEqual(['in-use.crossplane.io']);
  await end();
  await client.create(clusterType, clusterConfig);
  await client.mergePatch(
    config,
    { name: configOfNamespace.metadata.name, namespace: 'shop' },
    { metadata: { finalizers: [] } },
  );
  await clock.advance(2000);
  // The other type went on, and this one did not.
  expect(finalizersOf(clusterType, clusterConfig.metadata.name)).toEqual(['in-use.crossplane.io']);
  expect(finalizersOf(config, configOfNamespace.metadata.name, 'shop')).toBeUndefined();
  await begin(config);
  await clock.advance(2000);
  expect(finalizersOf(config, configOfNamespace.metadata.name, 'shop')).toEqual(['in-use.crossplane.io']);
});
