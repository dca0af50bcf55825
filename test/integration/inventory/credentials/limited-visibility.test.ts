/**
 * HANA Cloud responds 404 both for an instance that is gone and for one that the credentials do not see. A provider
 * that always takes it for gone would leave a mapping behind; one that never does would block deletions forever.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => {
  environment.simulator.settings.hiddenAs = 404;
});
afterAll(async () => {
  expect(environment.simulator.violations()).toEqual([]);
  await environment.stop();
});

/** Credentials that see another instance alone. */
async function unseeingCredentials(): Promise<{ instanceID: string; data: Record<string, string> }> {
  const instanceID = uniqueName('i');
  environment.simulator.store.addInstance(instanceID);
  const { fields } = environment.simulator.secrets(instanceID);
  return { instanceID, data: fields };
}

/** New credentials that see the instance; the provider does not use them before it is continued. */
async function rotateUnseen(scenario: Scenario): Promise<void> {
  await scenario.annotate({ 'crossplane.io/paused': 'true' });
  await scenario.untilReason('Synced', 'ReconcilePaused');
  const { fields } = await environment.simulator.rotateCredentials(scenario.instanceID);
  await scenario.apply('secret', { data: fields });
}
const unpause = (scenario: Scenario) => scenario.annotate({ 'crossplane.io/paused': null });

async function untilHeldUp(scenario: Scenario): Promise<string> {
  return eventually(async () => {
    const synced = await scenario.condition('Synced');
    expect(synced).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(synced?.message).toContain('deletionPolicy to Orphan');
    return synced?.message ?? '';
  });
}

describe('a deletion under credentials that do not see the instance', () => {
  test.each([
    { hiddenAs: 404, said: 'restore credentials that see the instance' },
    { hiddenAs: 403, said: 'answered 403' },
  ] as const)('($hiddenAs) keeps the mapping, reports it, and goes on with others', async (row) => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.apply('secret', { data: (await unseeingCredentials()).data });
    environment.simulator.settings.hiddenAs = row.hiddenAs;

    await scenario.delete();

    expect(await untilHeldUp(scenario)).toContain(row.said);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    await scenario.apply('secret');
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});

describe('a deletion of a mapping whose instance is gone', () => {
  test('is done by another process that has seen nothing itself', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    environment.simulator.store.removeInstance(scenario.instanceID);
    await environment.restartProvider();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.hana.writes()).toEqual(['create']);
  });

  test.concurrent('is held up under credentials that saw nothing while the ServiceInstance is there, and no longer', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await rotateUnseen(scenario);
    environment.simulator.store.removeInstance(scenario.instanceID);
    await scenario.delete();
    await unpause(scenario);
    await untilHeldUp(scenario);
    await scenario.remove('instance');
    await scenario.annotate({ 'crossplane.io/reconcile-requested-at': 'now' });
    await scenario.untilGone();
    expect(scenario.hana.writes()).toEqual(['create']);
  });
});

describe('a move to another instance under credentials that see only that one', () => {
  /** The sources now describe another instance, with its own credentials. */
  async function moved() {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const { instanceID, data } = await unseeingCredentials();
    const conditions = [{ type: 'Ready', status: 'True' }];
    await scenario.apply('secret', { data });
    await scenario.apply('instance', { status: { instanceID, conditions } });
    await scenario.reconcile();
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    const described = `${instanceID}/${scenario.clusterID}/${scenario.namespace}`;
    return { scenario, instanceID, message, described };
  }

  test.concurrent('is blocked while the old mapping would be left behind, and goes on with credentials that see both', async () => {
    const { scenario, instanceID, message, described } = await moved();
    expect(message).toContain(`see the instance of the mapping ${JSON.stringify(scenario.externalName)}:`);
    expect(message).toContain(`the mapping ${JSON.stringify(described)} is not made before`);
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(environment.simulator.store.mappings(instanceID)).toEqual([]);
    await expectRightDiagnosis(environment, scenario);

    environment.simulator.store.client(scenario.hana.clientID())?.instances.add(instanceID);
    await scenario.apply('secret');
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([]);
    expect(environment.simulator.store.mappings(instanceID)).toEqual([scenario.hana.mapping()]);
  });
});
