import { describe, expect, test } from '@jest/globals';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

/** Lets the sources describe another mapping; returns its identity. */
interface Change {
  readonly title: string;
  readonly make: (scenario: Scenario) => Promise<{ instanceID: string; clusterID: string }>;
}
const changes: Change[] = [
  {
    title: 'another cluster ID',
    make: async ({ apply, instanceID }) => {
      const clusterID = uniqueName('c');
      await apply('config', { data: { CLUSTER_ID: clusterID } });
      return { instanceID, clusterID };
    },
  },
  {
    title: 'another instance',
    make: async ({ apply, clusterID, hana }) => {
      const instanceID = uniqueName('i');
      environment.simulator.store.addInstance(instanceID);
      environment.simulator.store.client(hana.clientID())?.instances.add(instanceID);
      const conditions = [{ type: 'Ready', status: 'True' }];
      await apply('instance', { status: { instanceID, conditions } });
      return { instanceID, clusterID };
    },
  },
];

/** The resource, its status and HANA Cloud agree that the new mapping is there and no other. */
async function expectMoved(
  scenario: Scenario,
  { instanceID, clusterID }: { instanceID: string; clusterID: string },
): Promise<void> {
  const { store } = environment.simulator;
  const moved = await scenario.untilReady();
  expect(moved.metadata.annotations?.['crossplane.io/external-name']).toBe(
    `${instanceID}/${clusterID}/${scenario.namespace}`,
  );
  expect(moved.status?.atProvider?.hana?.mappingId).toEqual({
    serviceInstanceID: instanceID,
    primaryID: clusterID,
    secondaryID: scenario.namespace,
  });
  expect(store.mappings(instanceID)).toEqual([scenario.hana.mapping({ primaryID: clusterID })]);
  if (instanceID !== scenario.instanceID) expect(scenario.mappings()).toEqual([]);
}

describe.each(changes)('sources that now describe $title', ({ make }) => {
  /** Creates and deletes for the old and the new instance. */
  const writesOf = (scenario: Scenario, instanceID: string, since: number) =>
    environment.simulator
      .requests({ after: since })
      .filter(({ instance }) => instance === scenario.instanceID || instance === instanceID)
      .filter(({ route }) => route !== 'list')
      .map(({ route, instance }) => ({ route, old: instance === scenario.instanceID }));

  test.concurrent('move the mapping: the old one is deleted before the new one is created', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const mark = scenario.hana.mark();

    const to = await make(scenario);
    await scenario.reconcile();

    await expectMoved(scenario, to);
    const old = to.instanceID === scenario.instanceID;
    expect(writesOf(scenario, to.instanceID, mark)).toEqual([
      { route: 'delete', old: true },
      { route: 'create', old },
    ]);
    await scenario.delete();
    await scenario.untilGone();
    expect(environment.simulator.store.mappings(to.instanceID)).toEqual([]);
  });
});
