/**
 * Two external APIs that hold every request for long: their requests must not take slots from other hosts, even with a
 * low limit.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { FaultAction } from '../../simulators/hana-cloud/faults/faults.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { type BlackHole, openBlackHole } from '../harness/black-hole.ts';
import { forEach } from '../harness/for-each.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';

const PER_HOST = 20;

let environment: FaultEnvironment;
/** Addresses of their own that lead to the simulator. */
const hosts: BlackHole[] = [];
/** Mappings whose HANA Cloud API is slow, and mappings whose token endpoint is. Each has credentials of its own. */
const behindApis: Scenario[] = [];
const behindTokens: Scenario[] = [];

beforeAll(async () => {
  environment = await startFaultEnvironment();
  const { simulator } = environment;
  const forwardTo = async (url: string) => {
    const host = await openBlackHole();
    host.leadTo(Number(new URL(url).port));
    hosts.push(host);
    return host.address;
  };
  const add = async (to: Scenario[], override: (uaa: object) => Record<string, string>) => {
    const scenario = await environment.scenario({ sources: 'local' });
    await scenario.applySources();
    const { fields } = await simulator.credentials(scenario.instanceID);
    const data = { ...fields, ...override(JSON.parse(fields.uaa ?? '{}')) };
    await scenario.apply('secret', { data });
    to.push(scenario);
  };
  for (let host = 0; host < 2; host++) {
    const [baseurl, token] = [await forwardTo(simulator.apiUrl), await forwardTo(simulator.tokenUrl)];
    const numbers = Array.from({ length: PER_HOST }, (_, number) => number);
    await forEach(numbers, async () => {
      await add(behindApis, () => ({ baseurl }));
      await add(behindTokens, (uaa) => ({ uaa: JSON.stringify({ ...uaa, url: `https://${token}` }) }));
    });
  }
}, 120_000);
afterEach(async () => {
  environment.simulator.faults.clear();
  await environment.killProviders();
  // The next test has its own attack and nothing else.
  await forEach([...behindApis, ...behindTokens], (scenario) => scenario.forget());
});
afterAll(async () => {
  await environment.stop();
  for (const host of hosts) await host.close();
});

/** Has a provider reconcile the scenarios, and waits until their calls are on the way. */
async function attack(scenarios: readonly Scenario[], maxCalls: number): Promise<ProviderProcess> {
  const { simulator } = environment;
  await forEach([...scenarios], async (scenario) => {
    await scenario.create();
  });
  const provider = await environment.run({ args: [`--max-external-calls=${maxCalls}`] });
  // All clients have sent a request, and wait for a response.
  const inFlight = () =>
    (['under way', 'hung'] as const).flatMap((outcome) => simulator.requests({ outcome }));
  let before = 0;
  await eventually(
    () => {
      const now = inFlight().length;
      const settled = now > 0 && now === before;
      before = now;
      expect(settled).toBe(true);
    },
    { intervalMs: 500, timeoutMs: 20_000 },
  );
  return provider;
}

/** What a rule of the simulator does to a request, for each of these clients or instances. */
async function addFaults(scenarios: readonly Scenario[], route: 'list' | 'token', ...actions: FaultAction[]) {
  for (const { hana, instanceID } of scenarios) {
    const on =
      route === 'token' ? { route, clientID: await hana.clientID() } : { route, instance: instanceID };
    for (const action of actions) environment.simulator.faults.add({ on, do: action });
  }
}

const lateError: FaultAction[] = [
  { kind: 'delay', ms: 9500 },
  { kind: 'status', status: 500 },
];

describe.each([1, 8, 32])('at --max-external-calls=%d a healthy mapping is Ready in time', (maxCalls) => {
  test('beside two hosts that respond 500 after 9.5 s', async () => {
    await addFaults(behindApis, 'list', ...lateError);
    const provider = await attack(behindApis, maxCalls);
    await expectBystanderServed(environment, provider);
    const late = () => environment.simulator.requests({ route: 'list', status: 500 });
    await eventually(() => expect(late()).not.toEqual([]), { timeoutMs: 20_000 });
    await expectBystanderServed(environment, provider);
  });

  test('beside two hosts that never respond', async () => {
    await addFaults(behindApis, 'list', { kind: 'hang' });
    const provider = await attack(behindApis, maxCalls);
    await expectBystanderServed(environment, provider);
  });

  test('at a host that others call with the tokens of two slow token endpoints', async () => {
    await addFaults(behindTokens, 'token', ...lateError);
    const provider = await attack(behindTokens, maxCalls);
    await expectBystanderServed(environment, provider);
  });
});
