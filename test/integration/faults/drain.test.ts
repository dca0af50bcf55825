/** SIGTERM: what has begun is ended, what has not begun is left to whoever comes next. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { events } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultyWorld, startFaultyWorld } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

let world: FaultyWorld;
beforeAll(async () => {
  world = await startFaultyWorld();
});
afterAll(() => world.stop());

/** So many that their events, written one after the other, are not yet written when the last reconcile ends. */
const IN_FLIGHT = 20;

test('SIGTERM lets reconciles end, begins none, writes their events, gives the Lease back, and exits with 0', async () => {
  const { simulator } = world;
  const { start, lease } = leaseSharing(world);
  // One HANA Cloud may take a quarter of the workers.
  const provider = await start([`--max-reconcile-rate=${4 * IN_FLIGHT}`]);
  const fleet = await world.fleet(2 * IN_FLIGHT);
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
  const told = (await world.management.list(events, 'default'))
    .filter(
      ({ involvedObject, reason }) => names.has(involvedObject.name) && reason === 'CreatedExternalResource',
    )
    .map(({ involvedObject }) => involvedObject.name);
  expect(told.toSorted()).toEqual(begun.map(({ metadata }) => metadata.name).toSorted());
  expect((await lease()).spec.holderIdentity).toBe('');
  slow.remove();
}, 120_000);

test('a second SIGTERM exits at once, with 1', async () => {
  const provider = await world.run();
  const fleet = await world.fleet(1);
  const { instanceID: instance } = fleet.shared;
  const hang = world.simulator.faults.add({ on: { instance, route: 'list' }, do: { kind: 'hang' } });
  await fleet.applyClusterIDs();
  await fleet.create();
  await eventually(() => expect(hang.hits()).toBe(1));
  provider.signal('SIGTERM');
  await provider.untilLogged('stopping');
  expect(provider.isRunning()).toBe(true);
  provider.signal('SIGTERM');
  expect(await provider.gone).toBe('it ended with 1');
  // It did not wait for the call, which had 10 s.
  expect(world.simulator.requests({ instance, route: 'list' })).toHaveLength(1);
  expect(provider.logged('stopped')).toEqual([]);
}, 60_000);
