import { afterEach, expect, test } from '@jest/globals';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { labels } from '../metadata.ts';
import { runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';
import { smallRuntime } from './kind.ts';

/** As `docs/security.md` says. */
const KEPT_OBJECT = 40 * 1024;

const POOLS = 40;

/** With annotations and pools of hundreds of kilobytes. */
const large = () =>
  runtimeOf(
    {
      provider: {
        type: 'aws',
        workers: [worker()],
        additionalWorkers: Array.from({ length: POOLS }, (_, n) =>
          worker({ name: `pool-${n}`, annotations: { a: 'x'.repeat(1000) } }),
        ),
      },
    },
    { annotations: { a: 'x'.repeat(200_000), b: 'y'.repeat(40_000) } },
  );

test('whatever its user writes, a Runtime in memory has at most 40 KiB, with what others are found by', () => {
  const small = smallRuntime(large());
  expect(JSON.stringify(small).length).toBeLessThan(KEPT_OBJECT);
  expect(small.metadata.labels).toMatchObject({ [labels.runtimeId]: 'runtime-1' });
  expect(small.spec?.shoot).toMatchObject({ name: SHOOT, provider: { type: 'aws' } });
});

let h: RuntimeHarness<SimulatedGardener> | undefined;
afterEach(() => h?.stop());

test('it becomes Ready, is changed and deleted as it is', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  await h.create(large());
  expect(h.stored()?.status?.state).toBe('Ready');
  expect(h.shoot()?.spec?.provider.workers).toHaveLength(POOLS + 1);
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' } },
  });
  expect(h.stored()?.metadata.annotations).toMatchObject({ a: 'x'.repeat(200_000) });
  await h.patch({ spec: { shoot: { provider: { additionalWorkers: [] } } } });
  expect(h.shoot()?.spec?.provider.workers).toHaveLength(1);
  await h.delete();
  expect(h.stored()).toBeUndefined();
  expect(h.shoot()).toBeUndefined();
});
