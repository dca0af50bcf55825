import { describe, expect, test } from '@jest/globals';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
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

  test('move it also across a restart, while the new one cannot be created yet', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const to = await make(scenario);
    const fault = environment.simulator.faults.add({
      on: { route: 'create', instance: to.instanceID },
      do: { kind: 'unavailable' },
    });
    await scenario.reconcile();
    expect(scenario.mappings()).toEqual([]);
    await environment.restartProvider();
    await scenario.untilReason('Synced', 'ReconcileError');
    fault.remove();
    await expectMoved(scenario, to);
  });

  test.concurrent('move nothing while the old one cannot be deleted', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const fault = scenario.hana.fault({ route: 'delete' }, { kind: 'unavailable' });
    const to = await make(scenario);
    await scenario.reconcile();
    expect(await scenario.condition('Synced')).toMatchObject({ reason: 'ReconcileError' });
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(environment.simulator.requests({ route: 'create', instance: to.instanceID })).toHaveLength(
      to.instanceID === scenario.instanceID ? 1 : 0,
    );
    fault.remove();
    await expectMoved(scenario, to);
  });
});

describe('a mapping that was requested and never observed', () => {
  const moveTo = async (scenario: Scenario) => {
    const clusterID = uniqueName('c');
    await scenario.apply('config', { data: { CLUSTER_ID: clusterID } });
    return { instanceID: scenario.instanceID, clusterID };
  };

  test.concurrent('does not stay behind when its response was lost and the sources change before the next reconcile', async () => {
    const scenario = await environment.scenario();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'reset', when: 'after' });
    const lists = scenario.hana.fault({ route: 'list', skip: 1 }, { kind: 'unavailable' });
    await scenario.applySources();
    await scenario.create();
    await scenario.untilReason('Ready', 'Creating');
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);

    const to = await moveTo(scenario);
    await scenario.reconcile();
    lists.remove();

    await expectMoved(scenario, to);
  });

  test.concurrent('does not stay behind when the sources change twice while it cannot be created', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const creates = scenario.hana.fault({ route: 'create' }, { kind: 'unavailable' });
    await moveTo(scenario);
    await scenario.reconcile();
    expect(scenario.mappings()).toEqual([]);

    const to = await moveTo(scenario);
    creates.remove();

    await expectMoved(scenario, to);
  });

  test.concurrent.each([
    { title: 'cannot be made', route: 'create' as const, skip: 0 },
    { title: 'is made but cannot be seen', route: 'list' as const, skip: 1 },
  ])('is deleted with its resource when it $title after the sources changed', async ({ route, skip }) => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await moveTo(scenario);
    const fault = scenario.hana.fault({ route, skip }, { kind: 'unavailable' });
    await scenario.reconcile();

    await scenario.delete();
    fault.remove();

    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});

describe('policies that forbid a part of the move', () => {
  test.concurrent.each([
    { policies: ['Observe', 'Create', 'Update'] as const, missing: 'Delete' },
    { policies: ['Observe', 'Delete'] as const, missing: 'Create' },
    { policies: ['Observe', 'Update'] as const, missing: 'Create and Delete' },
  ])('$policies: one condition and one event name $missing, and nothing moves', async (row) => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.patch({ spec: { managementPolicies: row.policies } });
    await scenario.reconcile();
    const clusterID = uniqueName('c');
    await scenario.apply('config', { data: { CLUSTER_ID: clusterID } });
    const mark = scenario.hana.mark();

    await scenario.reconcile();
    await scenario.reconcile();

    const synced = await scenario.untilReason('Synced', 'ReconcileError');
    expect(synced.message).toContain(`spec.managementPolicies does not allow ${row.missing}`);
    expect(synced.message).toContain(scenario.externalName);
    expect(synced.message).toContain(clusterID);
    const events = await scenario.untilEvent('CannotReplaceExternalResource');
    expect(events.map(({ count }) => count)).toEqual([1]);
    expect(scenario.hana.writes(mark)).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    await expectRightDiagnosis(environment, scenario);

    await scenario.patch({ spec: { managementPolicies: ['*'] } });
    await expectMoved(scenario, { instanceID: scenario.instanceID, clusterID });
  });
});
