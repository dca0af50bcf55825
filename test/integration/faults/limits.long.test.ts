/** Upper bounds for the provider's requests, with a hundred mappings. `make test-faults` has two hundred. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Fleet } from '../harness/mappings/fleet.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';

/** To a hundred mappings. */
const scale = campaign({ seed: 0, runs: 1 }).long ? 2 : 1;

let environment: FaultEnvironment;
/** Of four instances; the last of them few. */
let fleets: Fleet[];
beforeAll(async () => {
  environment = await startFaultEnvironment();
  fleets = await Promise.all([30, 30, 30, 10].map((size) => environment.fleet(scale * size)));
  for (const fleet of fleets) {
    await fleet.applyClusterIDs();
    await fleet.create();
  }
}, 60_000);
afterAll(() => environment.stop());

const CALLS = 4;

test('calls in flight to HANA Cloud, token requests included, are limited by the flag', async () => {
  const { simulator } = environment;
  simulator.settings.latencyMs = 30;
  // So many at the same time even on a busy machine.
  simulator.faults.add({ on: { first: 20 * CALLS }, do: { kind: 'delay', ms: 90 } });
  const provider = await environment.run({ args: [`--max-external-calls=${CALLS}`] });
  for (const fleet of fleets) {
    await fleet.untilReady(60_000);
    expect(fleet.mappings()).toEqual(fleet.wanted());
  }
  // As many as allowed, since there was work for more. Calls that take 250 ms count towards their host only: on a busy machine
  // all of them may, twice. Without the flag there would be 24, the limit of a host.
  expect(simulator.maxInFlight()).toBeGreaterThanOrEqual(CALLS);
  expect(simulator.maxInFlight()).toBeLessThan(4 * CALLS);
  expect(simulator.violations()).toEqual([]);
  simulator.settings.latencyMs = 0;
  await provider.kill();
}, 120_000);

test('polls stay below the rate, and do not delay a change', async () => {
  const rate = 2 * scale;
  const size = fleets.reduce((sum, fleet) => sum + fleet.wanted().length, 0);
  const began = performance.now();
  const provider = await environment.run({ args: ['--poll=1s', `--max-reconcile-rate=${rate}`] });
  // One for each at the start, and the burst; beyond that the rate alone decides.
  const free = size + 10 * rate;
  await eventually(async () => expect(await reconcilesOf(provider)).toBeGreaterThan(free), {
    timeoutMs: 60_000,
  });
  await sleep(systemClock, 5000);
  const reconciles = await reconcilesOf(provider);
  const seconds = (performance.now() - began) / 1000;
  expect(reconciles).toBeGreaterThan(free + 2 * rate);
  const limit = free + (seconds + 2) * rate;
  if (reconciles > limit)
    throw new Error(`${reconciles} reconciles, at most ${limit}:\n${(await resultsOf(provider)).join('\n')}`);

  // Each is polled once in 50 s now: it is unlikely that polls found all of these.
  const changed = fleets.at(-1);
  await changed?.patch({ spec: { forProvider: { isDefault: true } } });
  await eventually(() => expect(changed?.mappings()).toEqual(changed?.wanted({ isDefault: true })), {
    timeoutMs: 25_000,
  });
}, 120_000);

/** Reconciles of mappings that ended with the next poll. Those that failed are repeated after their backoff, not paced. */
async function reconcilesOf(provider: ProviderProcess): Promise<number> {
  const settled = (await resultsOf(provider)).filter((line) => line.includes('result="requeue_after"'));
  return settled.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function resultsOf(provider: ProviderProcess): Promise<string[]> {
  const { body } = await provider.get('/metrics');
  return (
    body.match(
      /^controller_runtime_reconcile_total\{controller="managed\/kymainstancemapping\..*\} \d+$/gm,
    ) ?? []
  );
}
