import { afterEach, expect, test } from '@jest/globals';
import { valueAt } from '../base/json/json-value.ts';
import { nopLogger, nopMetrics } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import { createLeaderElector } from '../kube/leader-election.ts';
import { createFakeExternal } from './fakes/fake-external.ts';
import { namespacedWidgets, type Widget, widget } from './fakes/managed-harness.ts';
import { createProvider, type KindUse, type Provider, type ProviderOptions } from './provider.ts';
import { configOfNamespace, namespacedKinds, user } from './providerconfig/usage/usage.fixture.ts';
import { available, getCondition, setConditions, typeReady } from './resource/conditions.ts';

const key = { namespace: 'shop', name: 'w' };
/** Also after a failed test: a provider that runs keeps the process alive. */
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function setup(options: Partial<ProviderOptions> = {}, useOf?: (provider: Provider) => KindUse) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const provider = createProvider({
    client: withoutRightsToCrds(client),
    clock,
    log: nopLogger,
    random: () => 0.5,
    ...options,
    settings: { metricsAddress: '127.0.0.1:0', healthAddress: '0', ...options.settings },
  });
  const { connector, calls } = createFakeExternal<Widget>({
    observe: (resource) => {
      setConditions(resource, clock, available());
      return { state: 'present', upToDate: resource.spec.forProvider.size !== 2 };
    },
  });
  provider.addKind<Widget>({ type: namespacedWidgets, connector }, useOf?.(provider));
  const stopping = new AbortController();
  stops.push(() => stopping.abort());
  return {
    client,
    clock,
    provider,
    calls,
    run: () => provider.run(stopping.signal),
    stop: () => stopping.abort(),
    ready: () => {
      const stored = client.peek(namespacedWidgets, key);
      return stored && getCondition(stored, typeReady)?.status;
    },
    /** Until it holds; time goes on meanwhile. */
    until: async (holds: () => boolean) => {
      for (let turn = 0; turn < 200 && !holds(); turn++) await clock.advance(100);
      expect(holds()).toBe(true);
    },
  };
}

/** As on Crossplane v1: which CRDs there are is not known, so all kinds run. */
function withoutRightsToCrds(client: KubeClient): KubeClient {
  return {
    ...client,
    create: async (type, object, options) =>
      type.group === 'authorization.k8s.io'
        ? { ...object, status: { allowed: false } }
        : client.create(type, object, options),
  };
}

test('resources of a kind that was added are worked on, also those that come later, until it is stopped', async () => {
  const { client, calls, run, stop, ready, until, clock } = setup();
  const ended = run();
  await clock.advance(1000);
  await client.create(namespacedWidgets, widget(namespacedWidgets));

  await until(() => ready() === 'True');

  stop();
  await ended;
  const before = calls.length;
  await clock.advance(600_000);
  expect(calls.length).toBe(before);
});

test('it counts its resources, and shows that at /metrics', async () => {
  const { client, provider, run, stop, ready, until, clock } = setup();
  client.seed(namespacedWidgets, widget(namespacedWidgets));
  const ended = run();
  await until(() => ready() === 'True');
  await clock.advance(5000);

  const page = await (await fetch(`http://${provider.addresses().metrics}/metrics`)).text();
  expect(page).toContain('crossplane_managed_resource_ready{gvk="m.example.org/v1, Kind=Widget"} 1');
  stop();
  await ended;
});

test('a settled resource is reconciled again after the poll interval', async () => {
  const { client, calls, run, stop, ready, until, clock } = setup({ settings: { pollIntervalMs: 10_000 } });
  client.seed(namespacedWidgets, widget(namespacedWidgets));
  const ended = run();
  await until(() => ready() === 'True');
  // The reconcile that its own finalizer caused may follow.
  await clock.advance(1000);
  const before = calls.filter((verb) => verb === 'observe').length;

  await clock.advance(10_000);

  expect(calls.filter((verb) => verb === 'observe').length).toBe(before + 1);
  stop();
  await ended;
});

test('a resource that is only observed is not updated: management policies are respected by default', async () => {
  const { client, calls, run, stop, ready, until } = setup();
  const spec = { managementPolicies: ['Observe'], forProvider: { size: 2 } };
  client.seed(namespacedWidgets, widget(namespacedWidgets, { spec }));
  const ended = run();
  await until(() => ready() === 'True');
  expect(calls).not.toContain('update');
  stop();
  await ended;
});

test('each attempt to change an external resource reaches the change log', async () => {
  const operations: string[] = [];
  const changeLog = {
    send: async ({ operation }: { readonly operation: string }) => void operations.push(operation),
    close: () => undefined,
  };
  const { client, run, stop, until } = setup({ changeLog });
  client.seed(namespacedWidgets, widget(namespacedWidgets, { spec: { forProvider: { size: 2 } } }));
  const ended = run();
  await until(() => operations.includes('update'));
  stop();
  await ended;
});

test('a resource of a kind that uses configurations is on record as a user, and its configuration stays', async () => {
  const { provider, client, run, stop, until } = setup({}, ({ addConfigs }) => ({
    configs: addConfigs(namespacedKinds),
    readsConfig: true,
  }));
  // Another kind of the same scope.
  expect(() => provider.addConfigs(namespacedKinds)).not.toThrow();
  const { config } = namespacedKinds;
  client.seed(config, configOfNamespace);
  client.seed(namespacedWidgets, user('Namespaced', { kind: config.kind, name: 'prod' }));
  const ended = run();
  const configKey = { namespace: 'shop', name: 'prod' };
  await until(() => valueAt(client.peek(config, configKey), ['status', 'users']) === 1);
  await client.delete(config, configKey);
  expect(client.peek(config, configKey)).toBeDefined();
  stop();
  await ended;
});

test('before it may write nothing is done, and what writes elsewhere is refused', async () => {
  const lease = { namespace: 'system', name: 'provider' };
  const { provider, client, calls, run, stop, clock } = setup({ leaderElection: { lease, identity: 'a' } });
  const rival = createLeaderElector({
    client,
    lease,
    identity: 'b',
    clock,
    random: () => 0.5,
    log: nopLogger,
    metrics: nopMetrics,
  });
  await rival.acquire(new AbortController().signal);
  client.seed(namespacedWidgets, widget(namespacedWidgets));
  const ended = run();
  await clock.advance(5000);

  expect(calls).toEqual([]);
  expect(() => provider.fence()).toThrow();
  stop();
  await ended.catch(() => undefined);
  await rival.release(new AbortController().signal);
});
