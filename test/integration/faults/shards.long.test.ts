/** Shards as processes on one control plane. Mappings that move between shards are in test/integration/model, and in memory in acquire-ownership.property.test.ts. */
import { expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { annotationCreateIntent } from '../../../internal/framework/managed/resource/meta.ts';
import { eventually } from '../../environment/eventually.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import type { RequestRecord } from '../../simulators/hana-cloud/journal.ts';
import { startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { under } from '../harness/api-proxy/proxy-rules.ts';
import { changesByMapping, overlaps } from './changes.ts';
import { type FaultEnvironment, inFaultEnvironment, type RunOptions } from './fault-environment.ts';

/** After the time of its calls, and a sixth on top, the new owner may change something. */
const runShard = (environment: FaultEnvironment, shard: string, options: RunOptions = {}) =>
  environment.run({
    args: [`--watch-label-selector=${environment.selector},shard=${shard}`, '--external-timeout=5s'],
    env: { PROVIDER_NAME: 'provider-kyma' },
    ...options,
  });

const isChange = ({ route }: RequestRecord) => route === 'create' || route === 'delete';

test(
  'a shard that was frozen right before its requests sends none of them once another one owns its mappings',
  inFaultEnvironment(async (environment) => {
    const { simulator } = environment;
    const fleet = await environment.fleet(20);
    const { instanceID: instance } = fleet.shared;
    await fleet.applyClusterIDs();
    const proxy = await startApiProxy(environment.account.kubeconfig);
    environment.onStop(proxy.close);
    // Without a Lease, so that nothing else stops it.
    const frozen = await runShard(environment, 'a', { kubeconfig: proxy.kubeconfig });
    await frozen.untilLogged('controller started');
    // The intent to create is stored, and the create would be the next request.
    proxy.add({
      on: under(`/apis/${kymaInstanceMappings.group}/`, 'PUT'),
      do: { kind: 'hold', when: 'after' },
    });
    await fleet.create({ labels: { shard: 'a' } });
    await eventually(async () => {
      const recorded = (await fleet.list()).filter(
        ({ metadata }) => metadata.annotations?.[annotationCreateIntent] !== undefined,
      );
      expect(recorded.length).toBeGreaterThan(1);
    });
    frozen.signal('SIGSTOP');
    proxy.resume();
    expect(simulator.requests({ instance, route: 'create' })).toEqual([]);

    await runShard(environment, 'b');
    await fleet.patch({ metadata: { labels: { shard: 'b' } } });
    await fleet.untilReady(60_000);
    expect(fleet.mappings()).toEqual(fleet.wanted());
    const since = simulator.requests().at(-1)?.id ?? 0;
    frozen.signal('SIGCONT');
    // Until the reconciles that were in progress have ended.
    await eventually(async () => {
      expect(sumIn((await frozen.get('/metrics')).body, 'controller_runtime_active_workers')).toBe(0);
    });
    expect(simulator.requests({ after: since }).filter(isChange)).toEqual([]);
    expect(overlaps(changesByMapping(simulator.requests({ instance })))).toEqual([]);
  }),
  180_000,
);
