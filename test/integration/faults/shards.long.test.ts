/** Shards as processes on one control plane: mappings that move between shards are never changed by two at a time. */
import { describe, expect, test } from '@jest/globals';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { annotationShardOwner } from '../../../internal/framework/controller/reconcile/shard-ownership.ts';
import { isNotFound } from '../../../internal/framework/kube/errors/errors.ts';
import { annotationCreateIntent } from '../../../internal/framework/managed/resource/meta.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import type { RequestRecord } from '../../simulators/hana-cloud/journal.ts';
import { startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { under } from '../harness/api-proxy/proxy-rules.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forEach } from '../harness/for-each.ts';
import type { Fleet } from '../harness/mappings/fleet.ts';
import { changedBySeveral, changesByMapping, changesUnderWay, mappingKey, overlaps } from './changes.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';
import { createFleetGroup, type FleetGroupMember } from './fleet-group.ts';

const MAPPINGS = campaign({ seed: 0, runs: 1 }).long ? 200 : 40;
const shards = ['a', 'b', 'c'];
const selectorOf = ({ selector }: FaultEnvironment, shard: string) => `${selector},shard=${shard}`;
/** After it, and a sixth on top, the new owner may change something. */
const callsTime = '--external-timeout=5s';
/** Less than that, and long enough for another process to interfere. */
const SLOW_CHANGE_MS = 3000;

interface ShardOptions {
  readonly provider?: string;
  readonly kubeconfig?: string;
}

function runShard(
  environment: FaultEnvironment,
  shard: string,
  args: readonly string[],
  { provider = 'provider-kyma', ...options }: ShardOptions = {},
) {
  return environment.run({
    args: [`--watch-label-selector=${selectorOf(environment, shard)}`, callsTime, ...args],
    env: { PROVIDER_NAME: provider },
    ...options,
  });
}

const toShard = (number: number) => shards[number % shards.length] ?? '';
const keyOf = ({ hana: { instanceID }, mapping }: FleetGroupMember) => mappingKey(instanceID, mapping);
const soon = { timeoutMs: 1000, intervalMs: 50 };
const inOrder = (members: readonly FleetGroupMember[]) =>
  members.map(({ mapping }) => mapping).toSorted((a, b) => (a.primaryID < b.primaryID ? -1 : 1));
const isChange = ({ route }: RequestRecord) => route === 'create' || route === 'delete';

describe('of three shards', () => {
  test.concurrent(
    'never change a mapping concurrently, of many that move during reconciles',
    inFaultEnvironment(async (environment) => {
      const { simulator } = environment;
      const provider = uniqueName('provider');
      // Slow changes must not block other mappings. No Lease: a process that loses it under load is not started again.
      const args = ['--max-reconcile-rate=400'];
      const start = async (shard: string) => {
        const process = await runShard(environment, shard, args, { provider });
        await process.untilLogged('controller started');
      };
      const [fleets] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => environment.fleet(MAPPINGS / 10))),
        ...shards.map(start),
      ]);
      const [last, ...first] = fleets;
      await using fleetGroup = createFleetGroup(environment);
      const create = async (fleet: Fleet | undefined, index: number) => {
        await fleet?.create({ labels: { shard: toShard(index) } });
        if (fleet !== undefined) fleetGroup.add(fleet);
      };
      for (const fleet of fleets) await fleet.applyClusterIDs();
      for (const [index, fleet] of first.entries()) await create(fleet, index);
      await fleetGroup.untilReady(300_000);
      for (const route of ['create', 'delete'] as const) {
        simulator.faults.add({ on: { route, probability: 0.3 }, do: { kind: 'delay', ms: SLOW_CHANGE_MS } });
      }
      const underWay = changesUnderWay(simulator);

      /** Gives the owning shard work on the mapping, and moves the mapping to another shard meanwhile. */
      const disturb = async (member: FleetGroupMember, index: number, wave: number) => {
        const task = (index + wave) % 3;
        if (task === 0) member.hana.removeMapping(member.mapping);
        if (task === 1) member.mapping = { ...member.mapping, isDefault: !member.mapping.isDefault };
        const { isDefault } = member.mapping;
        const deleted = wave === 1 && index % 20 === 0;
        if (deleted) await fleetGroup.delete(member);
        else {
          const annotations = { 'crossplane.io/reconcile-requested-at': `${wave}` };
          await fleetGroup.patch(member, { metadata: { annotations }, spec: { forProvider: { isDefault } } });
        }
        // Best while it is about it.
        if (task !== 2) await beginOf(member);
        await move(member, index + wave);
        if (index % 5 === 0) await move(member, index + wave + 1);
      };
      const beginOf = (member: FleetGroupMember) =>
        eventually(() => {
          // Not an assertion, whose message would list all of them each time.
          if (!underWay().has(keyOf(member))) throw new Error('it is not being changed');
        }, soon).catch(() => undefined);
      const move = (member: FleetGroupMember, to: number) =>
        // What was deleted may be gone by now.
        fleetGroup.patch(member, { metadata: { labels: { shard: toShard(to) } } }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      const disturbAll = (wave: number) => {
        const members = [...fleetGroup.members.entries()].filter(([index]) => wave === 0 || index % 2 === 0);
        // Most of the time they wait.
        const parts = [0, 1, 2, 3].map((part) => members.filter(([index]) => index % 4 === part));
        return Promise.all(
          parts.map((part) => forEach(part, ([index, member]) => disturb(member, index, wave))),
        );
      };
      await disturbAll(0);
      await Promise.all([create(last, 0), disturbAll(1)]);
      simulator.faults.clear();
      const all = await fleetGroup.untilReady(300_000);
      const changes = changesByMapping(simulator.requests());
      const doubled = simulator.requests({ route: 'create', status: 409 });
      expect({ overlaps: overlaps(changes), doubled }).toEqual({ overlaps: [], doubled: [] });
      // Otherwise the test has seen nothing.
      expect(changedBySeveral(changes).length).toBeGreaterThan(MAPPINGS / 20);
      for (const fleet of fleets) {
        const { hana } = fleet.shared;
        expect(fleet.mappings()).toEqual(
          inOrder(fleetGroup.members.filter((member) => member.hana === hana)),
        );
      }
      expect(all.length).toBe(MAPPINGS - Math.ceil((0.9 * MAPPINGS) / 20));
      const usages = await environment.management.list(providerConfigUsages);
      const used = new Set(
        usages.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.name] : [])),
      );
      for (const { metadata } of all) {
        const { labels = {}, annotations, uid = '' } = metadata;
        expect(annotations).toMatchObject({
          [annotationShardOwner]: selectorOf(environment, labels.shard ?? ''),
        });
        expect(used).toContain(uid);
      }
      expect(simulator.violations()).toEqual([]);
    }),
    600_000,
  );

  test.concurrent(
    'one that was frozen right before its requests sends none of them once another one owns its mappings',
    inFaultEnvironment(async (environment) => {
      const { simulator } = environment;
      const fleet = await environment.fleet(20);
      const { instanceID: instance } = fleet.shared;
      await fleet.applyClusterIDs();
      const proxy = await startApiProxy(environment.account.kubeconfig);
      environment.onStop(proxy.close);
      // Without a Lease, so that nothing else stops it.
      const frozen = await runShard(environment, 'a', [], { kubeconfig: proxy.kubeconfig });
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

      await runShard(environment, 'b', []);
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
});
