import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe.each(['local', 'remote'] as const)('with %s sources', (sources) => {
  test.concurrent('a mapping whose sources exist becomes Ready and is in HANA Cloud', async () => {
    const scenario = await environment.scenario({ sources });
    await scenario.applySources();
    await scenario.create();

    const mapping = await scenario.untilReady();

    expect(scenario.mappings()).toEqual([
      {
        platform: 'kubernetes',
        primaryID: scenario.clusterID,
        secondaryID: scenario.namespace,
        isDefault: false,
      },
    ]);
    expect(mapping.metadata.annotations?.['crossplane.io/external-name']).toBe(scenario.externalName);
    expect(mapping.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(mapping.status?.atProvider).toEqual({
      kyma: {
        serviceInstanceID: scenario.instanceID,
        serviceInstanceName: 'hana',
        serviceInstanceReady: true,
        clusterID: scenario.clusterID,
      },
      hana: {
        mappingId: {
          serviceInstanceID: scenario.instanceID,
          primaryID: scenario.clusterID,
          secondaryID: scenario.namespace,
        },
        ready: true,
      },
    });
    expect(mapping.status?.conditions?.map(({ type }) => type)).toEqual(['Synced', 'Ready', 'UpToDate']);
    await eventually(async () => {
      const events = await scenario.events();
      expect(events.map(({ reason }) => reason)).toEqual(['CreatedExternalResource']);
    });
  });
});

describe.each(['local', 'remote'] as const)('a namespaced mapping with %s sources', (sources) => {
  test.concurrent('becomes Ready, is in HANA Cloud, and is deleted there with its resource', async () => {
    const scenario = await environment.scenario({ sources, scope: 'namespaced' });
    const mapping = await scenario.createReady();

    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(mapping.metadata).toMatchObject({
      namespace: scenario.namespace,
      annotations: { 'crossplane.io/external-name': scenario.externalName },
      finalizers: ['finalizer.managedresource.crossplane.io'],
    });
    expect(mapping.status?.atProvider?.kyma?.clusterID).toBe(scenario.clusterID);
    await eventually(async () => {
      const events = await scenario.events();
      expect(events.map(({ reason }) => reason)).toEqual(['CreatedExternalResource']);
    });

    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});

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
