/**
 * HANA Cloud responds 404 both for an instance that is gone and for one that the credentials do not see. A provider
 * that always takes it for gone would leave a mapping behind; one that never does would block deletions forever.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
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
