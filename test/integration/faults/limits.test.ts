/** What the provider asks of others at most, with two hundred mappings to look after. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Fleet } from '../harness/mappings/fleet.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type FaultyWorld, startFaultyWorld } from './fault-environment.ts';

let world: FaultyWorld;
/** Two hundred of four instances; the last of them few. */
let fleets: Fleet[];
beforeAll(async () => {
  world = await startFaultyWorld();
  fleets = await Promise.all([60, 60, 60, 20].map((size) => world.fleet(size)));
  for (const fleet of fleets) {
    await fleet.applyClusterIDs();
    await fleet.create();
  }
}, 60_000);
afterAll(() => world.stop());

const CALLS = 8;

test('calls in flight to HANA Cloud, grants of tokens included, are never more than the flag says', async () => {
  const { simulator } = world;
  simulator.settings.latencyMs = 30;
  const provider = await world.run({ args: [`--max-external-calls=${CALLS}`] });
  for (const fleet of fleets) {
    await fleet.untilReady(60_000);
    expect(fleet.mappings()).toEqual(fleet.wanted());
  }
  // As many as may be, since there was work for more.
  expect(simulator.maxInFlight()).toBe(CALLS);
  expect(simulator.violations()).toEqual([]);
  simulator.settings.latencyMs = 0;
  await provider.kill();
}, 120_000);

test('polls come no faster than the rate, and a change does not stand in their line', async () => {
  const rate = 4;
  const size = fleets.reduce((sum, fleet) => sum + fleet.wanted().length, 0);
  const began = performance.now();
  const provider = await world.run({ args: ['--poll=1s', `--max-reconcile-rate=${rate}`] });
  // One for each at the start, and the burst; beyond that the rate alone decides.
  const free = size + 10 * rate;
  await eventually(async () => expect(await passesOf(provider)).toBeGreaterThan(free), { timeoutMs: 60_000 });
  await sleep(systemClock, 5000);
  const passes = await passesOf(provider);
  const seconds = (performance.now() - began) / 1000;
  expect(passes).toBeGreaterThan(free + 2 * rate);
  // Room for a few passes that met a conflict and were made again.
  expect(passes).toBeLessThanOrEqual(free + (seconds + 2) * rate);

  // Each is polled once in 50 s now: that all of these were seen by their polls would be a rare chance.
  const changed = fleets.at(-1);
  await changed?.patch({ spec: { forProvider: { isDefault: true } } });
  await eventually(() => expect(changed?.mappings()).toEqual(changed?.wanted({ isDefault: true })), {
    timeoutMs: 25_000,
  });
}, 120_000);

/** Reconciles of mappings that have ended, however. */
async function passesOf(provider: ProviderProcess): Promise<number> {
  const { body } = await provider.get('/metrics');
  const lines = body.matchAll(
    /^controller_runtime_reconcile_total\{controller="managed\/kymainstancemapping\..*\} (\d+)$/gm,
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
