/**
 * Two external APIs that hold every request for long: their requests must not take slots from other hosts, even with a
 * low limit.
 */
import { expect, test } from '@jest/globals';
import { FIRST_SLOTS } from '../../../internal/framework/http/limits/host-slots.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import type { FaultAction } from '../../simulators/hana-cloud/faults/faults.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { openBlackHole } from '../harness/black-hole.ts';
import { forEach } from '../harness/for-each.ts';
import type { RawMapping } from '../harness/mappings/raw-mapping.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { expectBystanderServed } from './bystander.ts';

const { long } = campaign({ seed: 0, runs: 1 });
/** Fewer than two hosts have slots. */
const WORKERS = 40;
/** Of each of two hosts, which together have more mappings than there are workers. */
const MAPPINGS = long ? 60 : 25;

/** Mappings of a host: more than the slots, of one host up to 20 and of both in any case. */
const perHost = (maxCalls: number) => Math.min(maxCalls + 2, 20);
/** Healthy mappings, until one sends a request while others are held. */
const ATTEMPTS = 3;

type Slow = 'API' | 'token endpoint';

/** Mappings of two hosts whose API, or token endpoint, is slow. Each has credentials of its own. */
async function mappingsBehind(
  slow: Slow,
  count: number,
  environment: FaultEnvironment,
): Promise<readonly RawMapping[]> {
  const { simulator } = environment;
  const url = slow === 'API' ? simulator.apiUrl : simulator.tokenUrl;
  const mappings: RawMapping[] = [];
  for (let number = 0; number < 2; number++) {
    // An address of its own that leads to the simulator.
    const host = await openBlackHole();
    host.leadTo(Number(new URL(url).port));
    environment.onStop(host.close);
    const add = async () => {
      const mapping = environment.instanceMapping();
      const { json } = simulator.secrets(mapping.instanceID);
      const { baseurl, uaa } = JSON.parse(json.credentials ?? '{}');
      const credentials =
        slow === 'API'
          ? { baseurl: host.address, uaa }
          : { baseurl, uaa: { ...uaa, url: `https://${host.address}` } };
      await mapping.applySecret({ credentials: JSON.stringify(credentials) });
      mappings.push(mapping);
    };
    await forEach(Array(count).fill(undefined), add);
  }
  return mappings;
}

/** What the simulator does to requests for each of these instances or clients. */
async function addFaults(
  slow: Slow,
  { simulator }: FaultEnvironment,
  mappings: readonly RawMapping[],
  actions: readonly FaultAction[],
): Promise<void> {
  for (const { hana, instanceID } of mappings) {
    const on =
      slow === 'API'
        ? ({ route: 'list', instance: instanceID } as const)
        : ({ route: 'token', clientID: hana.clientID() } as const);
    for (const action of actions) simulator.faults.add({ on, do: action });
  }
}

/** Requests without a response whose clients still wait. */
const requestsInFlight = ({ simulator }: FaultEnvironment): number =>
  simulator.requests().filter(({ durationMs }) => durationMs === undefined).length;

/** Of a mapping: requests for its instance, and for the tokens of its client. */
const requestsOf = (
  { simulator }: FaultEnvironment,
  { hana, instanceID }: Pick<RawMapping, 'hana' | 'instanceID'>,
) => [...simulator.requests({ instance: instanceID }), ...simulator.requests({ clientID: hana.clientID() })];

/** Healthy mappings whose sources exist. Made before the attack: on a busy machine that takes longer than a request is held. */
async function prepareBystanders(environment: FaultEnvironment): Promise<readonly Scenario[]> {
  const bystanders: Scenario[] = [];
  for (let number = 0; number < ATTEMPTS; number++) {
    const bystander = await environment.scenario();
    await bystander.applySources();
    bystanders.push(bystander);
  }
  return bystanders;
}

/**
 * Holds that a healthy mapping becomes Ready, and that one of its requests came while more than `held` requests were in flight.
 * The provider gives held requests up after 10 s; if a busy machine needs longer until the first request of the mapping, that
 * proves nothing, and another one is created.
 */
async function expectServedMeanwhile(
  environment: FaultEnvironment,
  bystanders: readonly Scenario[],
  held: number,
): Promise<void> {
  let most = 0;
  for (const bystander of bystanders) {
    await eventually(() => expect(requestsInFlight(environment)).toBeGreaterThanOrEqual(held));
    await bystander.create();
    await bystander.untilReady();
    most = Math.max(...requestsOf(environment, bystander).map(({ inFlight }) => inFlight));
    if (most > held) return;
  }
  expect(most).toBeGreaterThan(held);
}

/** Two seconds before the provider gives a request up: on a busy machine half a second was too short for any response. */
const lateError: readonly FaultAction[] = [
  { kind: 'delay', ms: 8000 },
  { kind: 'status', status: 500 },
];
const hang: readonly FaultAction[] = [{ kind: 'hang' }];

const attacks = [
  { title: 'beside two hosts that respond 500 after 8 s', slow: 'API', actions: lateError },
  { title: 'beside two hosts that never respond', slow: 'API', actions: hang },
  {
    title: 'at a host that others call with the tokens of two slow token endpoints',
    slow: 'token endpoint',
    actions: lateError,
  },
] as const;
/** Of the flag: the lowest one, and more than the slots of two hosts. */
const LIMITS = long ? [1, 8, 32] : [1, 32];
const cases = LIMITS.flatMap((maxCalls) => attacks.map((attack) => ({ ...attack, maxCalls })));

test.concurrent.each(cases)(
  'at --max-external-calls=$maxCalls a healthy mapping becomes Ready while requests are held, $title',
  ({ maxCalls, slow, actions }) =>
    inFaultEnvironment(async (environment) => {
      const bystanders = await prepareBystanders(environment);
      const mappings = await mappingsBehind(slow, perHost(maxCalls), environment);
      await addFaults(slow, environment, mappings, actions);
      await forEach(mappings, (mapping) => mapping.create());
      const provider = await environment.run({ args: [`--max-external-calls=${maxCalls}`] });
      await expectServedMeanwhile(environment, bystanders, Math.min(maxCalls, FIRST_SLOTS));
      if (actions !== lateError) return;
      const late = { route: slow === 'API' ? 'list' : 'token', status: 500 } as const;
      await eventually(() => expect(environment.simulator.requests(late)).not.toEqual([]));
      await expectBystanderServed(environment, provider);
    })(),
);

test.concurrent.each(attacks)(
  'with fewer workers than two hosts have slots a healthy mapping becomes Ready while requests are held, $title',
  ({ slow, actions }) =>
    inFaultEnvironment(async (environment) => {
      const bystanders = await prepareBystanders(environment);
      const mappings = await mappingsBehind(slow, MAPPINGS, environment);
      await addFaults(slow, environment, mappings, actions);
      const provider = await environment.run({ args: [`--max-reconcile-rate=${WORKERS}`] });
      await forEach(mappings, (mapping) => mapping.create());
      await expectServedMeanwhile(environment, bystanders, FIRST_SLOTS);
      expect(environment.simulator.maxInFlight()).toBeLessThan(WORKERS);
      expect((await provider.get('/healthz')).status).toBe(200);
    })(),
);
