import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  // Its provider has a selector, and takes what the Go provider left for another shard's: it waits as long, and a sixth.
  environment = await startTestEnvironment({ flags: { externalTimeout: 6000 } });
});
afterAll(async () => {
  expect(environment.simulator.violations()).toEqual([]);
  await environment.stop();
});

const externalName = 'crossplane.io/external-name';

/** What the Go provider leaves on a resource whose mapping it made: the object's own name, and no identity. */
const leftByGo = ({ name }: Scenario) => ({
  [externalName]: name,
  'crossplane.io/external-create-pending': '2024-01-01T00:00:00Z',
  'crossplane.io/external-create-succeeded': '2024-01-01T00:00:01Z',
});

/** Another mapping of the same instance, which only the external name refers to. */
function foreignMapping(scenario: Scenario): { readonly primaryID: string; readonly name: string } {
  const primaryID = `other-${scenario.clusterID}`;
  scenario.hana.addMapping({ primaryID });
  return { primaryID, name: `${scenario.instanceID}/${primaryID}/${scenario.namespace}` };
}

describe('a mapping that exists already', () => {
  test.concurrent.each([
    { title: 'is adopted without an external name', annotations: () => ({}) },
    {
      title: 'is imported by its external name',
      annotations: ({ externalName: name }: Scenario) => ({ [externalName]: name }),
    },
    { title: 'is a migration from the Go provider', annotations: leftByGo },
  ])('$title', async ({ annotations }) => {
    const scenario = await environment.scenario();
    scenario.hana.addMapping();

    const mapping = await scenario.createReady({ annotations: annotations(scenario) });

    expect(scenario.hana.writes()).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(mapping.metadata.annotations?.[externalName]).toBe(scenario.externalName);
    expect(mapping.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(mapping.status?.atProvider?.hana?.ready).toBe(true);
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent.each(['', 'name'])(
    'of a Composition that sets the external name again (%j) stays Synced, and is deleted',
    async (habit) => {
      const scenario = await environment.scenario();
      await scenario.createReady();
      const value = habit === 'name' ? scenario.name : habit;
      for (let time = 0; time < 3; time++) {
        await scenario.annotate({ [externalName]: value });
        await scenario.reconcile();
        expect((await scenario.get()).metadata.annotations?.[externalName]).toBe(value);
      }
      expect(await scenario.condition('Synced')).toMatchObject({ status: 'True' });
      expect(scenario.hana.writes()).toEqual(['create']);
      await scenario.delete();
      await scenario.untilGone();
      expect(scenario.mappings()).toEqual([]);
    },
  );
});

describe('an external name that names another mapping', () => {
  test.concurrent('is an error that shows both, and nothing is made or deleted, until it is corrected', async () => {
    const scenario = await environment.scenario();
    const other = foreignMapping(scenario);
    await scenario.applySources();
    await scenario.create({ annotations: { [externalName]: other.name } });

    const synced = await scenario.untilReason('Synced', 'ReconcileError');

    expect(synced.message).toContain(JSON.stringify(other.name));
    expect(synced.message).toContain(JSON.stringify(scenario.externalName));
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    await scenario.untilEvent('CannotObserveExternalResource');
    expect(scenario.hana.calls()).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ primaryID: other.primaryID })]);
    await expectRightDiagnosis(environment, scenario);

    await scenario.annotate({ [externalName]: scenario.externalName });
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['create']);
    expect(scenario.mappings()).toHaveLength(2);
  });
});
