/** What polling many mappings of one instance costs HANA Cloud. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { createFleet } from '../../harness/mappings/fleet.ts';
import { startWorld, type World } from '../../harness/test-environment.ts';

const SIZE = 20;
const ROUNDS = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ flags: { poll: 10_000 } });
});
afterAll(() => world.stop());

test('mappings of one instance are polled with one list for all, and one that differs is still found', async () => {
  const fleet = await createFleet(world, SIZE);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady();
  const { instanceID } = fleet.shared;
  const before = { passes: await passes(), lists: lists() };
  await eventually(async () => expect(await passes()).toBeGreaterThanOrEqual(before.passes + ROUNDS * SIZE), {
    timeoutMs: 90_000,
  });
  const done = { passes: (await passes()) - before.passes, lists: lists() - before.lists };
  // One for each round; a slow machine may need a second one for the last of them.
  expect(done.lists).toBeGreaterThan(0);
  expect(done.lists * 5).toBeLessThanOrEqual(done.passes);

  const [lost] = fleet.mappings();
  if (lost === undefined) throw new Error('no mapping was made');
  world.simulator.store.removeMapping(instanceID, lost);
  await eventually(() => expect(fleet.mappings()).toEqual(fleet.wanted()));

  function lists(): number {
    return world.simulator.requests({ route: 'list', instance: instanceID }).length;
  }
}, 240_000);

/** Reconciles that have ended, of all mappings in this world. */
async function passes(): Promise<number> {
  const page = await world.provider.get('/metrics');
  const lines = page.matchAll(
    /^controller_runtime_reconcile_total\{controller="managed\/kymainstancemapping\.inventory\.hana\.orchestrate.*\} (\d+)$/gm,
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
