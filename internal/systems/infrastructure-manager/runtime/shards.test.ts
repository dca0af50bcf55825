import { afterEach, expect, test } from '@jest/globals';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { requiredLabels } from '../rendering/fixtures/rendering.fixture.ts';
import { NAMESPACE, runtimeOf } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h.stop());

const cluster = () => h.client.peek(gardenerClusters, { namespace: NAMESPACE, name: 'runtime-1' });

test.each([
  { selector: 'shard=a', shard: { shard: 'a' } },
  { selector: 'shard notin (b)', shard: {} },
])(
  'a Runtime of the shard $selector is Ready: its GardenerCluster is of the same',
  async ({ selector, shard }) => {
    h = await startRuntimeHarness(startSimulatedGardener, { labelSelector: selector });
    await h.create(runtimeOf({}, { labels: { ...requiredLabels, team: 'shop', ...shard } }));
    await h.wait(120_000);
    expect(h.shown()).toMatch(/^Ready True/);
    // It is new: there is no ownership delay.
    expect(h.stored()?.metadata.annotations).toEqual({ 'kyma.orchestrate.cloud.sap/shard-owner': selector });
    const { shard: found, team } = cluster()?.metadata.labels ?? {};
    expect({ found, team }).toEqual({ found: shard.shard, team: undefined });
  },
);

test('the GardenerCluster of a Runtime that moves to another shard follows it', async () => {
  h = await startRuntimeHarness(startSimulatedGardener, { labelSelector: 'shard in (a, b, c)' });
  await h.create(runtimeOf({}, { labels: { ...requiredLabels, shard: 'a' } }));
  await h.wait(120_000);
  await h.patch({ metadata: { labels: { shard: 'b' } } });
  await h.wait(120_000);
  expect(cluster()?.metadata.labels).toMatchObject({ shard: 'b' });
});

test('the GardenerCluster of a Runtime that loses the label of a shard loses it too', async () => {
  h = await startRuntimeHarness(startSimulatedGardener, { labelSelector: 'shard notin (b)' });
  await h.create(runtimeOf({}, { labels: { ...requiredLabels, shard: 'a' } }));
  await h.wait(120_000);
  await h.patch({ metadata: { labels: { shard: null } } });
  await h.wait(120_000);
  expect(cluster()?.metadata.labels).not.toHaveProperty('shard');
  expect(h.stored()?.status?.state).toBe('Ready');
});
