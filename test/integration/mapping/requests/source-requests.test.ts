/** What waiting costs the cluster of the sources: counted by its API server over a full minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import {
  addRestrictedUser,
  documentedRole,
  type Grants,
  watcherRole,
} from '../../harness/access/restricted-user.ts';
import type { Scenario, SourceName } from '../../harness/mappings/scenario.ts';
import { gapsIn, objectsIn, type SourceRequests, sourceRequests } from '../../harness/source-requests.ts';
import { startWorld, type World } from '../../harness/test-environment.ts';

const MINUTE = 60_000;
const all: readonly SourceName[] = ['instance', 'binding', 'secret', 'config'];
const objectOf: Readonly<Record<SourceName, string>> = {
  instance: 'serviceinstances/hana',
  binding: 'servicebindings/hana-admin',
  secret: 'secrets/hana-admin-credentials',
  config: 'configmaps/cluster-id',
};

interface State {
  readonly state: string;
  /** What is waited for. */
  readonly lacks: readonly SourceName[];
  /** What is there, but not as it should be. */
  readonly spoil?: (scenario: Scenario) => Promise<void>;
  /** Objects there is reason to read. */
  readonly readable: number;
}

const states: readonly State[] = [
  { state: 'nothing there', lacks: ['instance', 'binding', 'config'], readable: 3 },
  { state: 'one source missing', lacks: ['secret'], readable: 4 },
  {
    state: 'an instance that is not ready',
    lacks: ['instance'],
    spoil: (scenario) => scenario.apply('instance', { status: { instanceID: scenario.instanceID } }),
    readable: 4,
  },
  {
    state: 'a Secret that has to be mended',
    lacks: ['secret'],
    spoil: (scenario) => scenario.apply('secret', { data: { baseurl: 'x.example.org', uaa: 'not JSON' } }),
    readable: 4,
  },
];

interface Waited {
  readonly scenario: Scenario;
  requests(): Promise<SourceRequests>;
  mend(): Promise<void>;
}

let world: World;
const waited: Record<'watching' | 'asking', Map<State, Waited>> = { watching: new Map(), asking: new Map() };

beforeAll(async () => {
  world = await startWorld();
  const waits = states.flatMap((state) => [
    waitAMinute(watcherRole, state).then((done) => waited.watching.set(state, done)),
    waitAMinute(documentedRole, state).then((done) => waited.asking.set(state, done)),
  ]);
  await Promise.all(waits);
}, 2 * MINUTE);
afterAll(() => world.stop());

/** Has a mapping wait for a minute from its creation on. */
async function waitAMinute(role: Grants, { lacks, spoil }: State): Promise<Waited> {
  const scenario = await world.scenario();
  const { namespace } = scenario;
  const user = await addRestrictedUser(world.planes.kyma, namespace);
  await user.grant(role);
  await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
  // Without its binding nobody knows which Secret is meant.
  const absent = lacks.includes('binding') ? all : lacks;
  await scenario.applySources(all.filter((source) => !absent.includes(source)));
  await spoil?.(scenario);
  await scenario.create();
  await sleep(MINUTE);
  return {
    scenario,
    requests: () => sourceRequests(world.planes.kyma, { user: user.name, namespace }),
    mend: () => scenario.applySources(absent),
  };
}

function of(how: keyof typeof waited, state: State): Waited {
  const found = waited[how].get(state);
  if (found === undefined) throw new Error('it did not wait');
  return found;
}

const toldOnce = async (scenario: Scenario) => {
  expect(await scenario.events()).toEqual([expect.objectContaining({ count: 1 })]);
};

describe('where watching is allowed', () => {
  test.each(states)('$state: a minute costs at most six requests', async (state) => {
    const { scenario, requests } = of('watching', state);
    const { all, gets, watches, openWatches } = await requests();

    expect(all.length).toBeLessThanOrEqual(6);
    expect(gets).toHaveLength(state.readable);
    const watched = watches.map(({ objectRef }) => objectRef?.resource);
    expect(watched.sort()).toEqual(state.lacks.map((source) => objectOf[source].replace(/\/.*/, '')).sort());
    expect(openWatches).toBe(watches.length);
    await toldOnce(scenario);
  });

  test.each(states)(
    '$state: it goes on once that is there, and nothing is watched afterwards',
    async (state) => {
      const { scenario, requests, mend } = of('watching', state);
      await mend();
      await scenario.untilReady();
      await eventually(async () => expect(await requests()).toMatchObject({ openWatches: 0 }));
    },
  );
});

describe('with the documented role, which may not watch', () => {
  test.each(states)('$state: only that is asked for, every five seconds', async (state) => {
    const { scenario, requests } = of('asking', state);
    const { gets, all, watches } = await requests();

    expect(watches).toEqual([]);
    // Whether watching is allowed by now is tried once a minute.
    const refused = all.filter(({ verb }) => verb === 'watch');
    expect(refused.length).toBeLessThanOrEqual(2 * state.lacks.length);
    const asked = gets.slice(state.readable);
    expect(new Set(objectsIn(asked))).toEqual(new Set(state.lacks.map((source) => objectOf[source])));
    for (const source of state.lacks) {
      const gaps = gapsIn(asked.filter((request) => objectsIn([request])[0] === objectOf[source]));
      expect(gaps.length).toBeGreaterThanOrEqual(7);
      expect(Math.min(...gaps)).toBeGreaterThan(3.5);
      expect(new Set(gaps.map((gap) => gap.toFixed(1))).size).toBeGreaterThan(1);
    }
    await toldOnce(scenario);
  });

  test.each(states)('$state: it goes on once that is there', async (state) => {
    const { scenario, mend } = of('asking', state);
    await mend();
    await scenario.untilReady();
  });
});
