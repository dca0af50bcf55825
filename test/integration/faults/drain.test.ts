/** SIGTERM: reconciles in progress are completed, none is started. */
import { expect, test } from '@jest/globals';
import { events } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

/**
 * The slots of one host, with as many workers as it needs to have them. Their events, written one after the other, are not all
 * written when the last reconcile ends.
 */
const IN_FLIGHT = 24;

test.concurrent(
  'SIGTERM completes reconciles, starts none, writes their events, releases the Lease, and exits with 0',
  inFaultEnvironment(async (environment) => {
    const { simulator } = environment;
    const { start, lease } = leaseSharing(environment);
    const provider = await start([`--max-reconcile-rate=${4 * IN_FLIGHT}`]);
    const fleet = await environment.fleet(2 * IN_FLIGHT);
    const { instanceID: instance } = fleet.shared;
    const slow = simulator.faults.add({ on: { instance, route: 'create' }, do: { kind: 'delay', ms: 5000 } });
    await fleet.applyClusterIDs();
    await fleet.create();
    await eventually(() => expect(slow.hits()).toBe(IN_FLIGHT), { intervalMs: 10 });
    expect(fleet.mappings()).toEqual([]);

    provider.signal('SIGTERM');
    expect(await provider.gone).toBe('it ended with 0');

    const all = await fleet.list();
    const [begun, left] = [all.filter(({ status }) => status), all.filter(({ status }) => !status)];
    expect([begun.length, left.length]).toEqual([IN_FLIGHT, IN_FLIGHT]);
    expect(fleet.mappings()).toHaveLength(IN_FLIGHT);
    expect(simulator.requests({ instance, route: 'create' })).toHaveLength(IN_FLIGHT);
    for (const { status } of begun) {
      expect(status?.conditions).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'Ready', status: 'True' }),
          expect.objectContaining({ type: 'Synced', status: 'True' }),
        ]),
      );
    }
    const names = new Set(all.map(({ metadata }) => metadata.name));
    const reported = (await environment.management.list(events, 'default'))
      .filter(
        ({ involvedObject, reason }) =>
          names.has(involvedObject.name) && reason === 'CreatedExternalResource',
      )
      .map(({ involvedObject }) => involvedObject.name);
    expect(reported.toSorted()).toEqual(begun.map(({ metadata }) => metadata.name).toSorted());
    expect((await lease()).spec.holderIdentity).toBe('');
    slow.remove();
  }),
  120_000,
);

test.concurrent(
  'a second SIGTERM exits immediately, with 1',
  inFaultEnvironment(async (environment) => {
    const provider = await environment.run();
    const fleet = await environment.fleet(1);
    const { instanceID: instance } = fleet.shared;
    const hang = environment.simulator.faults.add({ on: { instance, route: 'list' }, do: { kind: 'hang' } });
    await fleet.applyClusterIDs();
    await fleet.create();
    await eventually(() => expect(hang.hits()).toBe(1));
    provider.signal('SIGTERM');
    await provider.untilLogged('stopping');
    expect(provider.isRunning()).toBe(true);
    provider.signal('SIGTERM');
    expect(await provider.gone).toBe('it ended with 1');
    // It did not wait for the call, which had 10 s.
    expect(environment.simulator.requests({ instance, route: 'list' })).toHaveLength(1);
    expect(provider.logged('stopped')).toEqual([]);
  }),
  120_000,
);
