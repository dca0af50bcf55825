import { afterEach, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../test/simulators/gardener/simulated-gardener.ts';
import { createDeps } from '../../base/deps.ts';
import { apiError } from '../../kube/fakes/memory-client.ts';
import { createCluster, secrets } from '../../kube/index.ts';
import { diagnoseRuntime } from './diagnose-runtime.ts';
import { NAMESPACE, runtimeOf, SHOOT } from './runtime/fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './runtime/fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h.stop());

async function created(stageMs = 0): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener, { stageMs });
  await h.create(runtimeOf());
  await h.wait();
}

async function report(name = 'runtime-1') {
  const deps = createDeps({ clock: h.clock });
  const { healthy, checks } = await diagnoseRuntime({
    ...{ kind: 'runtime', name, namespace: NAMESPACE, clock: h.clock },
    signal: new AbortController().signal,
    client: h.client,
    gardener: h.gardener.client,
    project: h.gardener.project,
    connect: (_config, settings) => createCluster({ ...deps, ...settings, client: h.runtime }),
  });
  return { healthy, checks: checks.map((check) => `${check.name}: ${check.status}, ${check.detail}`) };
}

const skipped = (...names: string[]) => names.map((name) => `${name}: skipped, an earlier check failed`);

test('a Runtime that is Ready is healthy in each check', async () => {
  await created();
  expect(await report()).toEqual({
    healthy: true,
    checks: [
      'Runtime: ok, found',
      'state: ok, Ready',
      'Shoot: ok, found',
      'operation: ok, Create is Succeeded, 100 %: Shoot cluster creation is succeeded.',
      'GardenerCluster: ok, found',
      'kubeconfig: ok, Secret created successfully.',
      expect.stringMatching(/^Secret: ok, its kubeconfig expires at 2024-01-02T00:0/),
      'runtime cluster: ok, it accepts the kubeconfig',
    ],
  });
});

test('what a Runtime waits for is named', async () => {
  await created(Number.POSITIVE_INFINITY);
  const { healthy, checks } = await report();
  expect(healthy).toBe(false);
  expect(checks.slice(0, 4)).toEqual([
    'Runtime: ok, found',
    'state: waiting, Pending; Provisioned is Unknown, Pending: Shoot is pending',
    'Shoot: ok, found',
    'operation: waiting, Gardener has not begun',
  ]);
  expect(checks[4]).toMatch(/^GardenerCluster: failed, .*not found/);
  expect(checks.slice(5)).toEqual(skipped('kubeconfig', 'Secret', 'runtime cluster'));
});

test('a missing Runtime is all that is told', async () => {
  await created();
  const { checks } = await report('other');
  expect(checks[0]).toMatch(/^Runtime: failed, .*not found/);
  expect(checks.slice(1)).toHaveLength(7);
});

test('a Secret without a kubeconfig, and a cluster that does not accept it, are failures', async () => {
  await created();
  const key = { namespace: NAMESPACE, name: 'kubeconfig-runtime-1' };
  const end = h.runtime.onRequest(() => {
    throw apiError(401, 'Unauthorized', 'not you');
  });
  expect((await report()).checks.at(-1)).toMatch(/^runtime cluster: failed, .*not you/);
  end();
  h.client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key });
  const { checks } = await report();
  expect(checks.slice(-2)).toEqual(['Secret: failed, it has no kubeconfig', ...skipped('runtime cluster')]);
});

test('a Shoot that is not as the Runtime says yet, since patches are suspended, is told', async () => {
  await created();
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' } },
    spec: { shoot: { purpose: 'evaluation' } },
  });
  await h.wait();
  expect(
    h.gardener.client.peek(shoots, { namespace: h.gardener.namespace, name: SHOOT })?.spec?.purpose,
  ).toBe('development');
  expect((await report()).checks[3]).toMatch(
    /^operation: waiting, it has generation 1 of the Runtime, not 2: patches are suspended/,
  );
});
