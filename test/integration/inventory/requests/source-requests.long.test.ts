/**
 * What waiting costs the cluster of the sources, counted by its API server. The schedule over a full minute is that of
 * internal/framework/kube/watched-objects/object-watcher.failures.test.ts.
 */
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
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

/** Several times the five seconds between two reads of a missing object. */
const WAIT_MS = 25_000;
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
    state: 'a Secret that must be fixed',
    lacks: ['secret'],
    spoil: (scenario) => scenario.apply('secret', { data: { baseurl: 'x.example.org', uaa: 'not JSON' } }),
    readable: 4,
  },
];

interface Waited {
  readonly scenario: Scenario;
  requests(): Promise<SourceRequests>;
  fix(): Promise<void>;
}

let environment: TestEnvironment;
const waited: Record<'watching' | 'asking', Map<State, Waited>> = { watching: new Map(), asking: new Map() };

beforeAll(async () => {
  environment = await startTestEnvironment();
  const waits = states.flatMap((state) => [
    wait(watcherRole, state).then((done) => waited.watching.set(state, done)),
    wait(documentedRole, state).then((done) => waited.asking.set(state, done)),
  ]);
  await Promise.all(waits);
});
afterAll(() => environment.stop());

/** Has a mapping wait from its creation on. */
async function wait(role: Grants, { lacks, spoil }: State): Promise<Waited> {
  const scenario = await environment.scenario();
  const { namespace } = scenario;
  const user = await addRestrictedUser(environment.planes.kyma, namespace);
  await user.grant(role);
  await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
  // Without its binding the name of the Secret is unknown.
  const absent = lacks.includes('binding') ? all : lacks;
  await scenario.applySources(all.filter((source) => !absent.includes(source)));
  await spoil?.(scenario);
  await scenario.create();
  await sleep(WAIT_MS);
  return {
    scenario,
    requests: () => sourceRequests(environment.planes.kyma, { user: user.name, namespace }),
    fix: () => scenario.applySources(absent),
  };
}

function of(how: keyof typeof waited, state: State): Waited {
  const found = waited[how].get(state);
  if (found === undefined) throw new Error('it did not wait');
  return found;
}

const reportedOnce = async (scenario: Scenario) => {
  expect(await scenario.events()).toEqual([expect.objectContaining({ count: 1 })]);
};

describe('where watching is allowed', () => {
  test.each(states)('$state: waiting costs at most six requests', async (state) => {
    const { scenario, requests } = of('watching', state);
    const { all, gets, watches, openWatches } = await requests();

    expect(all.length).toBeLessThanOrEqual(6);
    expect(gets).toHaveLength(state.readable);
    const watched = watches.map(({ objectRef }) => objectRef?.resource);
    expect(watched.sort()).toEqual(state.lacks.map((source) => objectOf[source].replace(/\/.*/, '')).sort());
    expect(openWatches).toBe(watches.length);
    await reportedOnce(scenario);
  });

  test.concurrent.each(states)(
    '$state: it goes on once that exists, and nothing is watched afterwards',
    async (state) => {
      const { scenario, requests, fix } = of('watching', state);
      await fix();
      await scenario.untilReady();
      await eventually(async () => expect(await requests()).toMatchObject({ openWatches: 0 }));
    },
  );
});

describe('with the documented role, which may not watch', () => {
  test.each(states)('$state: only that is requested, every five seconds', async (state) => {
    const { scenario, requests } = of('asking', state);
    const { gets, all, watches } = await requests();

    expect(watches).toEqual([]);
    // Whether watching is allowed by now is tried once a minute.
    const refused = all.filter(({ verb }) => verb === 'watch');
    expect(refused.length).toBeLessThanOrEqual(state.lacks.length);
    const asked = gets.slice(state.readable);
    expect(new Set(objectsIn(asked))).toEqual(new Set(state.lacks.map((source) => objectOf[source])));
    for (const source of state.lacks) {
      const gaps = gapsIn(asked.filter((request) => objectsIn([request])[0] === objectOf[source]));
      expect(gaps.length).toBeGreaterThanOrEqual(3);
      expect(Math.min(...gaps)).toBeGreaterThan(3.5);
      expect(new Set(gaps.map((gap) => gap.toFixed(1))).size).toBeGreaterThan(1);
    }
    await reportedOnce(scenario);
  });

  test.concurrent.each(states)('$state: it goes on once that exists', async (state) => {
    const { scenario, fix } = of('asking', state);
    await fix();
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });
});
