/** SIGKILL at any moment: what HANA Cloud has in the end is what was asked for, once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type FaultyWorld, startFaultyWorld } from './fault-environment.ts';

let world: FaultyWorld;
beforeAll(async () => {
  world = await startFaultyWorld();
});
afterAll(() => world.stop());

/** So often that a kill meets what it waits for. */
const soon = { intervalMs: 2, timeoutMs: 60_000 };

test('a hundred mappings are made, and deleted, once each by a provider that is killed again and again', async () => {
  const { simulator } = world;
  const fleet = await world.fleet(100);
  const instance = fleet.shared.instanceID;
  // Answers take 100 to 200 ms, and few are under way at a time, so that each kill meets some in the middle.
  simulator.settings.latencyMs = 100;
  simulator.faults.add({ on: { instance, probability: 0.5 }, do: { kind: 'delay', ms: 100 } });
  const run = () => world.run({ args: ['--max-external-calls=6'] });
  const count = () => fleet.mappings().length;

  await fleet.applyClusterIDs();
  let provider = await run();
  await fleet.create();
  for (const enough of [5, 20, 40, 60]) {
    await eventually(() => expect(count()).toBeGreaterThanOrEqual(enough), soon);
    await provider.kill();
    expect(count()).toBeLessThan(100);
    provider = await run();
  }
  // The worst moment: HANA Cloud has made them, and nobody was told.
  const lost = simulator.faults.add({
    on: { instance, route: 'create', first: 6 },
    do: { kind: 'hang', when: 'after' },
  });
  await eventually(() => expect(lost.hits()).toBe(6), soon);
  await provider.kill();
  provider = await run();
  await fleet.untilReady(60_000);
  expect(fleet.mappings()).toEqual(fleet.wanted());
  const creations = simulator.requests({ instance, route: 'create' });
  // None was asked for that was there already, and none had to be taken back.
  expect(creations.filter(({ status }) => status === 409)).toEqual([]);
  expect(simulator.requests({ instance, route: 'delete' })).toEqual([]);
  // More where a kill came between a creation and its answer, which nobody can time.
  expect(creations.length).toBeGreaterThanOrEqual(100);

  await fleet.delete();
  for (const few of [80, 30]) {
    await eventually(() => expect(count()).toBeLessThanOrEqual(few), soon);
    await provider.kill();
    expect(count()).toBeGreaterThan(0);
    provider = await run();
  }
  await fleet.untilGone(60_000);
  expect(fleet.mappings()).toEqual([]);
  expect(simulator.requests({ instance, route: 'create', status: 201 }).length).toBeLessThanOrEqual(100);
  expect(simulator.violations()).toEqual([]);
}, 180_000);
