/** SIGKILL at any time: in the end HANA Cloud has the specified mappings, each created once. */
import { expect, test } from '@jest/globals';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { forFile } from '../harness/for-file.ts';
import { startFaultEnvironment } from './fault-environment.ts';

const environment = forFile(startFaultEnvironment);

const { long } = campaign({ seed: 0, runs: 1 });
/** So many mappings exist, at least while they are created and at most while they are deleted, when the provider is killed. */
const KILLS = long ? { created: [5, 20, 40, 60], deleted: [80, 30] } : { created: [5, 40], deleted: [50] };

/** Short enough that a kill interrupts what it waits for. */
const soon = { intervalMs: 2, timeoutMs: 60_000 };

test('a hundred mappings are created, and deleted, once each by a provider that is killed repeatedly', async () => {
  const { simulator } = environment;
  const fleet = await environment.fleet(100);
  const instance = fleet.shared.instanceID;
  // Responses take 100 to 200 ms, and few requests are in flight, so that each kill interrupts some.
  simulator.settings.latencyMs = 100;
  simulator.faults.add({ on: { instance, probability: 0.5 }, do: { kind: 'delay', ms: 100 } });
  const run = () => environment.run({ args: ['--max-external-calls=6'] });
  const count = () => fleet.mappings().length;

  await fleet.applyClusterIDs();
  let provider = await run();
  await fleet.create();
  for (const enough of KILLS.created) {
    await eventually(() => expect(count()).toBeGreaterThanOrEqual(enough), soon);
    await provider.kill();
    expect(count()).toBeLessThan(100);
    provider = await run();
  }
  // The worst case: HANA Cloud has created them, and the provider did not receive the response.
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
  // No existing mapping was created again, and none had to be deleted.
  expect(creations.filter(({ status }) => status === 409)).toEqual([]);
  expect(simulator.requests({ instance, route: 'delete' })).toEqual([]);
  // More where a kill came between a creation and its response, which a test cannot time.
  expect(creations.length).toBeGreaterThanOrEqual(100);

  await fleet.delete();
  for (const few of KILLS.deleted) {
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
