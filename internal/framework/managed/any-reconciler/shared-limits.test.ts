/** What all controllers of a program share, whatever their reconcilers: slots of hosts, and the rate of polls. */
import { afterEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { pollAfter } from '../../controller/reconcile-result.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { clusterWidgets, namespacedWidgets, widget } from '../../kube/fakes/widget.ts';
import { createProvider, type Provider } from '../provider.ts';
import { createProviderConfigs } from '../providerconfig/provider-configs.ts';
import { clusterKinds, configOfCluster } from '../providerconfig/usage/usage.fixture.ts';
import { managedKindOf } from './any-reconciler.fixture.ts';
import { createFakeSystem, type FakeSystem } from './external-system.fixture.ts';
import { ownFinalizer, ownReconciler } from './own-reconciler.fixture.ts';

const POLL_MS = 1000;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const addManaged = (provider: Provider, system: FakeSystem) =>
  provider.addKind(managedKindOf(system, clusterWidgets));

const addOwn = (provider: Provider, system: FakeSystem, name?: string) =>
  provider.addReconciled({
    ...(name === undefined ? {} : { name }),
    type: namespacedWidgets,
    finalizer: ownFinalizer,
    reconcile: ownReconciler(system, POLL_MS),
  });

/** With a reconciler that reads the external system and polls, to see what its controller allows. */
const addConfigs = (provider: Provider, system: FakeSystem) => {
  const { kinds } = createProviderConfigs({ ...provider.common, kinds: clusterKinds });
  for (const kind of kinds)
    provider.addReconciled({
      ...kind,
      reconcile: async (_, context) => {
        await system.observe(widget(clusterWidgets), { ...context, assertMayWrite: () => undefined });
        return pollAfter(POLL_MS);
      },
    });
};

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const provider = createProvider({
    // Which CRDs there are is not known, so all kinds run.
    client: {
      ...client,
      create: async (type, object, options) =>
        type.group === 'authorization.k8s.io'
          ? { ...object, status: { allowed: false } }
          : client.create(type, object, options),
    },
    clock,
    log: nopLogger,
    random: () => 0.5,
    settings: {
      metricsAddress: '0',
      healthAddress: '0',
      maxReconcileRate: 1,
      pollIntervalMs: POLL_MS,
      pollJitter: 0,
    },
  });
  return { clock, client, provider };
}

/** A managed resource, an object of an own reconciler and a provider configuration, each with an external system. */
async function runAll(before: FakeSystem['before']) {
  const { clock, client, provider } = setup();
  client.seed(clusterWidgets, widget(clusterWidgets));
  client.seed(namespacedWidgets, widget(namespacedWidgets));
  client.seed(clusterKinds.config, configOfCluster);
  const systems = [addManaged, addOwn, addConfigs].map((add) => {
    const system = createFakeSystem(0);
    system.before = before;
    add(provider, system);
    return system;
  });
  const stopping = new AbortController();
  const ended = provider.run(stopping.signal);
  ends.push(() => {
    stopping.abort();
    return ended;
  });
  await clock.advance(5000);
  return { clock, polls: () => systems.map(({ calls }) => calls.length) };
}

test('two kinds cannot each take the last slot of a host', async () => {
  const waiting: (() => void)[] = [];
  const h = await runAll((_, { reserve }) => {
    reserve([{ name: 'host', scope: 'external API', slots: 1 }]);
    return new Promise((resolve) => waiting.push(resolve));
  });
  ends.unshift(async () => {
    for (const resolve of waiting) resolve();
  });
  for (const inProgress of [1, 2, 3]) {
    expect(waiting).toHaveLength(inProgress);
    waiting.at(-1)?.();
    await h.clock.advance(100);
  }
  // Each of them, in turn.
  expect(h.polls().every((count) => count >= 1)).toBe(true);
});

test('polls of all kinds share one rate', async () => {
  const h = await runAll(() => undefined);
  await h.clock.advance(30_000);
  const before = h.polls();
  await h.clock.advance(90_000);
  const counts = h.polls().map((count, index) => count - (before[index] ?? 0));
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(91);
  expect(Math.min(...counts)).toBeGreaterThan(20);
});

test('two controllers of one name are refused at the start', () => {
  const { provider } = setup();
  addManaged(provider, createFakeSystem());
  const name = 'managed/widget.example.org';
  expect(() => addOwn(provider, createFakeSystem(), name)).toThrow(`two controllers have the name ${name}`);
  addOwn(provider, createFakeSystem());
  expect(() => addOwn(provider, createFakeSystem())).toThrow(
    'two controllers have the name widget.m.example.org',
  );
});
