/** What waiting keeps open, over several clusters and namespaces: watches by the API servers' own records, in exact numbers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { collectionIn, openWatches } from '../../../../hack/bench/measure/api-requests.ts';
import { eventually } from '../../../environment/eventually.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import type { Scenario, SourceName } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

const CLUSTERS = 3;
/** What the mappings of each cluster lack, each in a namespace of its own. */
const LACKS: readonly (readonly SourceName[])[] = [['instance'], ['secret', 'config'], ['binding']];
const all: readonly SourceName[] = ['instance', 'binding', 'secret', 'config'];
const collections: Readonly<Record<SourceName, string>> = {
  instance: 'serviceinstances.services.cloud.sap.com',
  binding: 'servicebindings.services.cloud.sap.com',
  secret: 'secrets',
  config: 'configmaps',
};

interface Cluster {
  /** The provider's user on that cluster, from its kubeconfig. */
  readonly user: string;
  readonly places: readonly { readonly scenario: Scenario; readonly lacks: readonly SourceName[] }[];
}

let environment: TestEnvironment;
let clusters: readonly Cluster[];
const mappings: Pick<Scenario, 'untilReason' | 'untilReady'>[] = [];

beforeAll(async () => {
  environment = await startTestEnvironment();
  const cluster = async (): Promise<Cluster> => {
    const user = uniqueName('reader');
    const kubeconfig = await environment.planes.kyma.addUser({ name: user, groups: ['system:masters'] });
    const place = async (lacks: readonly SourceName[]) => {
      const scenario = await environment.scenario({ kubeconfig });
      await scenario.applySources(all.filter((source) => !lacks.includes(source)));
      await scenario.create();
      // Mappings that wait for the same object share a watch.
      mappings.push(scenario, await scenario.createRival({ forProvider: { targetNamespace: 'other' } }));
      return { scenario, lacks };
    };
    return { user, places: await Promise.all(LACKS.map(place)) };
  };
  clusters = await Promise.all(Array.from({ length: CLUSTERS }, cluster));
  await Promise.all(mappings.map((mapping) => mapping.untilReason('Synced', 'Waiting')));
}, 120_000);
afterAll(() => environment.stop());

/** Open watches on the Kyma cluster, by user. */
const open = () =>
  Promise.all(
    clusters.map(async ({ user }) => {
      const events = await environment.planes.kyma.auditEvents(user);
      const own = openWatches(events.filter((event) => event.user.username === user));
      return Object.fromEntries(own);
    }),
  );

test('one watch is open for each cluster, namespace and kind with missing objects, for any number of mappings', async () => {
  const expected = clusters.map(({ places }) =>
    Object.fromEntries(
      places.flatMap(({ scenario, lacks }) =>
        lacks.map((source) => [collectionIn(collections[source], scenario.namespace), 1]),
      ),
    ),
  );
  await eventually(async () => expect(await open()).toEqual(expected), { timeoutMs: 60_000 });
});

test('the management cluster is watched once in the namespace with the kubeconfigs, however many they are', async () => {
  const { user } = environment.account;
  const events = await environment.planes.management.auditEvents(user);
  const own = openWatches(events.filter((event) => event.user.username === user));
  const ofSecrets = [...own].filter(([collection]) => collection.startsWith('secrets'));
  expect(ofSecrets).toEqual([['secrets in default', 1]]);
});

test('nothing is watched any more when no mapping waits', async () => {
  const places = clusters.flatMap((cluster) => cluster.places);
  await Promise.all(places.map(({ scenario, lacks }) => scenario.applySources(lacks)));
  await Promise.all(mappings.map((mapping) => mapping.untilReady()));
  await eventually(async () => expect(await open()).toEqual(clusters.map(() => ({}))), { timeoutMs: 60_000 });
});
