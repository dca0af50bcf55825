import { afterEach, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { outcomes, type Stage } from '../../../../test/simulators/gardener/gardenlet/stages.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { createCluster, secrets } from '../../../framework/kube/index.ts';
import { NAMESPACE, runtimeOf, SHOOT } from '../runtime/fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../runtime/fixtures/runtime-harness.fixture.ts';
import { diagnoseRuntime } from './diagnose-runtime.ts';

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
  expect(checks[4]).toMatch(/^GardenerCluster: waiting, .*not found/);
  expect(checks.slice(5)).toEqual(skipped('kubeconfig', 'Secret', 'runtime cluster'));
});

test('a missing Runtime is all that is told', async () => {
  await created();
  const { checks } = await report('other');
  expect(checks[0]).toMatch(/^Runtime: failed, .*not found/);
  expect(checks.slice(1)).toHaveLength(7);
});

test('a Ready Runtime is healthy while Gardener works on its Shoot by itself', async () => {
  await created();
  h.gardener.gardenlet.rules.add({ on: { operation: 'Reconcile' }, stages: outcomes.stuck() });
  await h.gardener.gardenlet.begin(SHOOT);
  await h.wait();
  const { healthy, checks } = await report();
  expect(healthy).toBe(true);
  expect(checks[3]).toMatch(/^operation: warning, Reconcile is Processing, 30 %/);
});

test('a Ready Runtime with a condition that is not True is not healthy', async () => {
  await created();
  const { conditions = [] } = h.stored()?.status ?? {};
  const open = conditions.map((each) =>
    each.type === 'OidcAndConfigMapConfigured' ? { ...each, status: 'False' } : each,
  );
  await h.stop();
  await h.patchStatus({ conditions: open });
  const { healthy, checks } = await report();
  expect(healthy).toBe(false);
  expect(checks[1]).toMatch(
    /^state: failed, Ready; OidcAndConfigMapConfigured is False, OidcAndConfigMapsConfigured: /,
  );
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

describe('doctor says healthy exactly when the Runtime is Ready and each of its conditions is True', () => {
  const begun = async (stages: readonly Stage[]) => {
    h = await startRuntimeHarness(startSimulatedGardener);
    h.gardener.gardenlet.rules.add({ on: { shoot: SHOOT }, stages });
    await h.create(runtimeOf());
  };
  const changed = async (stages: readonly Stage[]) => {
    await created();
    h.gardener.gardenlet.rules.add({ on: { shoot: SHOOT, operation: 'Reconcile' }, stages });
    await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  };
  /** The cluster refuses requests about a kind, or does not respond. */
  const withCluster = async (plural: string, status: number) => {
    h = await startRuntimeHarness(startSimulatedGardener);
    h.runtime.onRequest(({ type }) => {
      if (type.plural === plural) throw apiError(status, 'Invalid', 'refused');
    });
    await h.create(runtimeOf());
  };
  const failed = outcomes.failed('ERR_INFRA_UNAUTHORIZED');
  const givenUp = outcomes.failed('ERR_INFRA_QUOTA_EXCEEDED');
  const error = outcomes.error('ERR_INFRA_RESOURCES_DEPLETED');

  test.each<{ what: string; arrange: () => Promise<void>; state: string }>([
    { what: 'it is created', arrange: () => created(), state: 'Ready' },
    { what: 'Gardener has not begun', arrange: () => created(Number.POSITIVE_INFINITY), state: 'Pending' },
    { what: 'the creation takes its time', arrange: () => begun(outcomes.stuck()), state: 'Pending' },
    { what: 'the creation failed', arrange: () => begun(failed), state: 'Failed' },
    { what: 'Gardener gave up the creation', arrange: () => begun(givenUp), state: 'Pending' },
    { what: 'the creation is retried by Gardener', arrange: () => begun(error), state: 'Pending' },
    { what: 'no seed fits', arrange: () => begun(outcomes.noSeed('aws')), state: 'Failed' },
    { what: 'a change takes its time', arrange: () => changed(outcomes.stuck()), state: 'Pending' },
    { what: 'a change failed', arrange: () => changed(failed), state: 'Failed' },
    {
      what: 'Gardener refuses the Shoot',
      arrange: async () => {
        h = await startRuntimeHarness(startSimulatedGardener);
        h.gardener.client.onRequest(({ verb }) => {
          if (verb === 'create') throw apiError(422, 'Invalid', 'no such machine type');
        });
        await h.create(runtimeOf());
      },
      state: 'Failed',
    },
    {
      what: 'the cluster refuses administrators',
      arrange: () => withCluster('clusterrolebindings', 422),
      state: 'Pending',
    },
    {
      what: 'the cluster does not respond',
      arrange: () => withCluster('clusterrolebindings', 503),
      state: 'Pending',
    },
    {
      what: 'the Secret of the kubeconfig belongs to others',
      arrange: async () => {
        h = await startRuntimeHarness(startSimulatedGardener);
        const metadata = { namespace: NAMESPACE, name: 'kubeconfig-runtime-1' };
        h.client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
        await h.create(runtimeOf());
      },
      state: 'Pending',
    },
    {
      what: 'it is being deleted',
      arrange: async () => {
        await created();
        h.gardener.gardenlet.stageMs = Number.POSITIVE_INFINITY;
        await h.delete();
      },
      state: 'Terminating',
    },
  ])('$what', async ({ arrange, state }) => {
    await arrange();
    await h.wait();
    const { status } = h.stored() ?? {};
    expect(status?.state).toBe(state);
    const isTrue = (status?.conditions ?? []).every((condition) => condition.status === 'True');
    const { healthy, checks } = await report();
    expect({ healthy, checks }).toMatchObject({ healthy: state === 'Ready' && isTrue });
    // Only an operation that Gardener begins itself is a warning.
    expect(checks).not.toContainEqual(expect.stringMatching(/^operation: warning/));
  });
});
