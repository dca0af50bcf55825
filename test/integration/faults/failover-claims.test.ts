/**
 * Two resources for one mapping, and a failover. The new leader has no confirmation of the older resource's claim, and
 * the older resource is namespaced, so its stored record confirms nothing. The younger one must wait for it. Both were
 * created while the new leader was on standby, so that it knows the claim by a change, not by its first list.
 * Decision: docs/decisions/0005-the-older-resource-owns-the-mapping.md
 */
import { expect, test } from '@jest/globals';
import { configMaps } from '../../../internal/framework/kube/object/resource-type.ts';
import type { KymaInstanceMapping } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { configMapManifest } from '../../environment/manifests.ts';
import { startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { under } from '../harness/api-proxy/proxy-rules.ts';
import type { ManagedObject } from '../harness/mappings/managed-object.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

type Rival = ManagedObject<KymaInstanceMapping>;

interface Contested {
  /** The older resource; it owns the mapping. */
  readonly owner: Scenario;
  /** The younger one; it reports Conflict. */
  readonly rival: Rival;
}

interface Failover extends Contested {
  /** A position before the failover, for requests to HANA Cloud. */
  readonly mark: number;
  /** Until it is called, the new leader cannot read the credentials of the owner. */
  readonly confirmOwner: () => void;
}

const conditionsOf = async (resource: Rival) => (await resource.get()).status?.conditions;

/** @param setup runs while the second replica is on standby */
const afterFailover = (
  setup: (environment: FaultEnvironment) => Promise<Contested>,
  check: (failover: Failover) => Promise<void>,
  betweenLeaders: (contested: Contested) => Promise<void> = async () => undefined,
) =>
  inFaultEnvironment(async (environment) => {
    const { start } = leaseSharing(environment);
    const leader = await start();
    await leader.untilLogged('controller started');
    const proxy = await startApiProxy(environment.account.kubeconfig);
    environment.onStop(proxy.close);
    const standby = await start([], { kubeconfig: proxy.kubeconfig });
    // Its lists are complete: what is created from here on is not among them.
    await eventually(async () => expect((await standby.get('/readyz')).status).toBe(200));
    const contested = await setup(environment);
    const { owner, rival } = contested;
    await rival.untilReason('Synced', 'Conflict');
    await owner.untilReady();
    const before = await conditionsOf(owner);
    const mark = owner.hana.mark();

    await leader.kill();
    expect(standby.logged('leading')).toEqual([]);
    const read = proxy.add({
      on: under(`/api/v1/namespaces/${owner.home}/secrets/`, 'GET'),
      do: { kind: 'hold', when: 'before' },
    });
    await betweenLeaders(contested);
    await standby.untilLogged('leading', 60_000);
    const { message } = await rival.untilReason('Synced', 'Waiting');

    expect(message).toContain(`KymaInstanceMapping ${owner.home}/${owner.name} is older`);
    expect(read.hits()).toBeGreaterThan(0);
    expect(await conditionsOf(owner)).toEqual(before);
    await check({ ...contested, mark, confirmOwner: proxy.resume });
    await owner.reconcile();
    expect(await conditionsOf(owner)).toEqual(before);
    expect(owner.hana.writes(mark)).toEqual([]);
    expect(owner.mappings()).toEqual([owner.hana.mapping()]);
  });

test.concurrent(
  'a new leader neither adopts nor replaces the mapping of an older resource for a younger one, which was in conflict before',
  afterFailover(
    async (environment) => {
      const owner = await environment.scenario({ scope: 'namespaced' });
      await owner.createReady();
      await nextSecond();
      return { owner, rival: await owner.createRival({ forProvider: { isDefault: true } }, null) };
    },
    async ({ owner, rival, mark, confirmOwner }) => {
      await rival.reconcile();
      expect(await rival.condition('Synced')).toMatchObject({ reason: 'Waiting' });
      expect(owner.hana.writes(mark)).toEqual([]);

      confirmOwner();

      await rival.untilReason('Synced', 'Conflict');
      await rival.reconcile();
      expect(await rival.condition('Synced')).toMatchObject({ reason: 'Conflict' });
      expect((await rival.get()).metadata.finalizers).toBeUndefined();
    },
  ),
  120_000,
);

test.concurrent(
  'a new leader does not delete the mapping of an older resource with a younger one, which had the mapping once',
  afterFailover(
    async (environment) => {
      const owner = await environment.scenario({ scope: 'namespaced' });
      await owner.applySources(['instance', 'binding', 'secret']);
      await owner.create();
      await nextSecond();
      const ready = { namespace: owner.namespace, name: 'ready-id' };
      await owner.sourcePlane.apply(configMaps, configMapManifest(ready, { CLUSTER_ID: owner.clusterID }));
      const rival = await owner.createRival({ forProvider: { clusterIdConfigMapRef: ready } }, null);
      await rival.untilReady();
      await owner.apply('config');
      return { owner, rival };
    },
    async ({ owner, rival, mark, confirmOwner }) => {
      expect(await rival.condition('Synced')).toMatchObject({
        message: expect.stringContaining(`cannot delete the mapping ${JSON.stringify(owner.externalName)}`),
      });
      expect(owner.hana.writes(mark)).toEqual([]);

      confirmOwner();

      await rival.untilGone();
    },
    ({ rival }) => rival.delete(),
  ),
  120_000,
);
