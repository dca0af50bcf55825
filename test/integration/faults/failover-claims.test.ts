/**
 * Two resources for one mapping, and a failover. The new leader has no confirmation of the older resource's claim, and
 * the older resource is namespaced, so its stored record confirms nothing. The younger one must wait for it. Both were
 * created while the new leader was on standby, so that it knows the claim by a change, not by its first list.
 * Decision: docs/decisions/0005-the-older-resource-owns-the-mapping.md
 */
import { expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { under } from '../harness/api-proxy/proxy-rules.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import { inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

test(
  'a new leader neither adopts nor replaces the mapping of an older resource for a younger one, which was in conflict before',
  inFaultEnvironment(async (environment) => {
    const { start } = leaseSharing(environment);
    const leader = await start();
    await leader.untilLogged('controller started');
    const proxy = await startApiProxy(environment.account.kubeconfig);
    environment.onStop(proxy.close);
    const standby = await start([], { kubeconfig: proxy.kubeconfig });
    // Its lists are complete: what is created from here on is not among them.
    await eventually(async () => expect((await standby.get('/readyz')).status).toBe(200));
    const owner = await environment.scenario({ scope: 'namespaced' });
    await owner.createReady();
    await nextSecond();
    const rival = await owner.createRival({ forProvider: { isDefault: true } }, null);
    await rival.untilReason('Synced', 'Conflict');
    await owner.untilReady();
    const conditions = async () => (await owner.get()).status?.conditions;
    const before = await conditions();
    const mark = owner.hana.mark();

    await leader.kill();
    expect(standby.logged('leading')).toEqual([]);
    // Until it is resumed, the new leader cannot read the credentials of the owner.
    const read = proxy.add({
      on: under(`/api/v1/namespaces/${owner.home}/secrets/`, 'GET'),
      do: { kind: 'hold', when: 'before' },
    });
    await standby.untilLogged('leading', 60_000);
    const { message } = await rival.untilReason('Synced', 'Waiting');

    expect(message).toContain(`KymaInstanceMapping ${owner.home}/${owner.name} is older`);
    expect(read.hits()).toBeGreaterThan(0);
    expect(await conditions()).toEqual(before);
    await rival.reconcile();
    expect(await rival.condition('Synced')).toMatchObject({ reason: 'Waiting' });
    expect(owner.hana.writes(mark)).toEqual([]);

    proxy.resume();

    await rival.untilReason('Synced', 'Conflict');
    await rival.reconcile();
    expect(await rival.condition('Synced')).toMatchObject({ reason: 'Conflict' });
    expect((await rival.get()).metadata.finalizers).toBeUndefined();
    await owner.reconcile();
    expect(await conditions()).toEqual(before);
    expect(owner.hana.writes(mark)).toEqual([]);
    expect(owner.mappings()).toEqual([owner.hana.mapping()]);
  }),
  120_000,
);
