/** An API server that responds with what it may respond with under load, after restarts, or behind a stale cache. */
import { expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { conflict, expired, under, watchesUnder } from '../harness/api-proxy/proxy-rules.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';

const mappings = `/apis/${kymaInstanceMappingTypes.cluster.group}/v1alpha1/${kymaInstanceMappingTypes.cluster.plural}`;
const timeoutMs = 90_000;

async function proxyOf(environment: FaultEnvironment, kubeconfig: string): Promise<ApiProxy> {
  const proxy = await startApiProxy(kubeconfig);
  environment.onStop(proxy.close);
  return proxy;
}

test.concurrent(
  'mappings miss no change while every watch of both clusters ends with 410 Gone each second',
  inFaultEnvironment(async (environment) => {
    const [management, kyma] = [
      await proxyOf(environment, environment.account.kubeconfig),
      await proxyOf(environment, environment.planes.kyma.kubeconfig),
    ];
    const provider = await environment.run({ kubeconfig: management.kubeconfig });
    const fleet = await environment.fleet(10, { kubeconfig: kyma.kubeconfig });
    let expiries = 0;
    const refusals = [management, kyma].map((proxy) =>
      // Also as the response to the watch itself, which then needs a list.
      proxy.add({ on: ({ isWatch }) => isWatch, first: 6, do: expired }),
    );
    const expiring = (async () => {
      // On a busy machine it takes longer until there are watches.
      for (let round = 0; round < 6 || expiries <= 6; round++) {
        await sleep(systemClock, 1000);
        expiries += management.expireWatches('/') + kyma.expireWatches('/');
      }
    })();
    await fleet.create();
    await sleep(systemClock, 2000);
    await fleet.applyClusterIDs();
    await sleep(systemClock, 2000);
    await fleet.patch({ spec: { forProvider: { isDefault: true } } });
    await expiring;
    expect(expiries).toBeGreaterThan(6);
    expect(refusals.map((refusal) => refusal.hits())).toEqual([6, expect.any(Number)]);
    await fleet.untilReady(timeoutMs);
    expect(fleet.mappings()).toEqual(fleet.wanted({ isDefault: true }));
    await fleet.delete();
    management.expireWatches('/');
    await fleet.untilGone(timeoutMs);
    expect(fleet.mappings()).toEqual([]);
    expect(provider.isRunning()).toBe(true);
  }),
  180_000,
);

test.concurrent(
  'in a storm of conflicts each mapping is created once, and deleted',
  inFaultEnvironment(async (environment) => {
    const management = await proxyOf(environment, environment.account.kubeconfig);
    await environment.run({ kubeconfig: management.kubeconfig });
    const fleet = await environment.fleet(5);
    const { instanceID: instance } = fleet.shared;
    const refused = management.add({ on: under(mappings, 'PUT', 'PATCH'), first: 20, do: conflict });
    await fleet.applyClusterIDs();
    await fleet.create();
    // Another controller that changes each mapping several times a second.
    let storms = 0;
    let isStorm = true;
    const storm = (async () => {
      while (isStorm) {
        storms++;
        await fleet.patch({ metadata: { annotations: { storm: `${storms}` } } });
        await sleep(systemClock, 250);
      }
    })();
    try {
      await eventually(() => expect(fleet.mappings()).toEqual(fleet.wanted()), { timeoutMs });
      await fleet.untilReady(timeoutMs);
    } finally {
      isStorm = false;
      await storm;
    }
    expect(refused.hits()).toBe(20);
    expect(storms).toBeGreaterThan(1);
    const deletions = management.add({ on: under(mappings, 'PUT', 'PATCH'), first: 10, do: conflict });
    await fleet.delete();
    await fleet.untilGone(timeoutMs);
    expect(deletions.hits()).toBeGreaterThanOrEqual(5);
    expect(fleet.mappings()).toEqual([]);
    expect(environment.simulator.requests({ instance, route: 'create' })).toHaveLength(5);
  }),
  180_000,
);

test.concurrent(
  'a provider that starts with an outdated list deletes and replaces nothing by it, and goes on once its watch does',
  inFaultEnvironment(async (environment) => {
    const management = await proxyOf(environment, environment.account.kubeconfig);
    // What the first provider lists is what the second one is shown.
    const [orphaned, paused, changed] = [
      await environment.scenario(),
      await environment.scenario(),
      await environment.scenario(),
    ];
    for (const scenario of [orphaned, paused, changed]) await scenario.applySources();
    for (const scenario of [orphaned, paused, changed]) await scenario.create();
    const first = await environment.run({ kubeconfig: environment.account.kubeconfig });
    for (const scenario of [orphaned, paused, changed]) await scenario.untilReady();
    await first.kill();
    management.add({
      on: ({ path, method }) => method === 'GET' && path === mappings,
      do: { kind: 'replay' },
    });
    const before = await environment.run({ kubeconfig: management.kubeconfig });
    await before.untilLogged('controller started');
    await before.kill();

    management.add({ on: watchesUnder(mappings), do: { kind: 'stall' } });
    await orphaned.patch({ spec: { deletionPolicy: 'Orphan' } });
    await orphaned.delete();
    await paused.annotate({ 'crossplane.io/paused': 'true' });
    await changed.patch({ spec: { forProvider: { isDefault: true } } });
    // A third party has put others in their place, which the outdated versions would have replaced.
    for (const { hana } of [orphaned, paused, changed]) {
      hana.removeMapping();
      hana.addMapping({ isDefault: true });
    }
    const marks = [orphaned, paused, changed].map(({ hana }) => hana.mark());
    const second = await environment.run({ kubeconfig: management.kubeconfig });
    await second.untilLogged('controller started');
    // It has observed what it would replace or delete by the outdated list.
    await eventually(() => {
      for (const [index, { hana }] of [orphaned, paused, changed].entries())
        expect(hana.calls(marks[index])).toContain('list');
    });
    await sleep(systemClock, 1000);
    management.resume();
    await orphaned.untilGone();
    await paused.untilReason('Synced', 'ReconcilePaused');
    await changed.untilReady();
    for (const [index, { hana, mappings: found }] of [orphaned, paused, changed].entries()) {
      expect(hana.writes(marks[index])).toEqual([]);
      expect(found()).toEqual([hana.mapping({ isDefault: true })]);
    }
  }),
  120_000,
);

test.concurrent(
  'a provider whose permissions are taken changes nothing, reports it, and goes on when they are given back',
  inFaultEnvironment(async (environment) => {
    const { account } = environment;
    const management = await proxyOf(environment, account.kubeconfig);
    const provider = await environment.run({ args: ['--poll=1s'], kubeconfig: management.kubeconfig });
    const [kept, coming] = [await environment.scenario(), await environment.scenario()];
    await kept.createReady();
    await coming.applySources();
    await account.revoke();
    const marks = [kept, coming].map(({ hana }) => hana.mark());
    await coming.create();
    kept.hana.removeMapping();
    // Watches that are open go on until they end.
    management.expireWatches('/');
    await eventually(async () => expect((await provider.get('/readyz')).status).toBe(500), {
      timeoutMs,
    });
    expect((await provider.get('/healthz')).status).toBe(200);
    expect([kept, coming].flatMap(({ hana }, index) => hana.writes(marks[index]))).toEqual([]);

    await account.grantCrossplaneRole();
    await account.grantExample();
    for (const scenario of [kept, coming]) {
      await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping()]), {
        timeoutMs,
      });
      await scenario.untilReady(timeoutMs);
    }
    await eventually(async () => expect((await provider.get('/readyz')).status).toBe(200), {
      timeoutMs,
    });
    expect(provider.isRunning()).toBe(true);
  }),
  240_000,
);
