/**
 * The watch of a kind is stalled: its connection is open and reports nothing. Polls go on with what the cache shows, while
 * the API server has other versions. No mapping may be deleted on the outdated ones.
 */
import { expect, test } from '@jest/globals';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { watchesUnder } from '../harness/api-proxy/proxy-rules.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';

const { group, plural } = kymaInstanceMappingTypes.cluster;

interface Polled {
  readonly environment: FaultEnvironment;
  readonly provider: ProviderProcess;
  readonly proxy: ApiProxy;
  /** It is Ready, and polled each second. */
  readonly scenario: Scenario;
  /** From now on the provider's cache of cluster-scoped mappings is behind. */
  stallWatch(): void;
}

const withPolledMapping = (body: (polled: Polled) => Promise<void>) =>
  inFaultEnvironment(async (environment) => {
    const proxy = await startApiProxy(environment.account.kubeconfig);
    environment.onStop(proxy.close);
    const provider = await environment.run({ kubeconfig: proxy.kubeconfig });
    const scenario = await environment.scenario();
    await scenario.createReady({ annotations: { 'crossplane.io/poll-interval': '1s' } });
    const stallWatch = () =>
      void proxy.add({ on: watchesUnder(`/apis/${group}/v1alpha1/${plural}`), do: { kind: 'stall' } });
    await body({ environment, provider, proxy, scenario, stallWatch });
  });

/** A third party creates another mapping in its place, which only a replacement corrects. */
function drift({ hana }: Scenario): void {
  hana.removeMapping();
  hana.addMapping({ isDefault: true });
}

test.concurrent(
  'a mapping that was paused meanwhile is not replaced; it is once the pause has ended',
  withPolledMapping(async ({ environment, provider, proxy, scenario, stallWatch }) => {
    const mark = scenario.hana.mark();
    stallWatch();
    await scenario.annotate({ 'crossplane.io/paused': 'true' });
    drift(scenario);
    await scenario.untilReason('Synced', 'ReconcilePaused');
    expect(proxy.stalledChunks()).toBeGreaterThan(0);
    // The mappings of the other scope have a watch of their own.
    await expectBystanderServed(environment, provider, { scope: 'namespaced' });
    expect(scenario.hana.writes(mark)).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ isDefault: true })]);

    proxy.resume();
    await scenario.annotate({ 'crossplane.io/paused': null });
    await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping()]));
    expect(scenario.hana.writes(mark)).toEqual(['delete', 'create']);
  }),
);

test.concurrent(
  'a mapping that is not changed meanwhile is replaced, although its watch is stalled',
  withPolledMapping(async ({ scenario, stallWatch }) => {
    const mark = scenario.hana.mark();
    stallWatch();
    drift(scenario);
    await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping()]));
    expect(scenario.hana.writes(mark)).toEqual(['delete', 'create']);
  }),
);
