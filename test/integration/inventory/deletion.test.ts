import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

async function readyMapping(): Promise<Scenario> {
  const scenario = await environment.scenario();
  await scenario.createReady();
  return scenario;
}

describe('a deletion', () => {
  test.concurrent('deletes the mapping, and waits for HANA Cloud’s confirmation', async () => {
    const scenario = await readyMapping();
    const mark = scenario.hana.mark();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
    expect(scenario.hana.calls(mark)).toEqual(['list', 'delete', 'list']);
    await scenario.untilEvent('DeletedExternalResource');
  });

  test.concurrent('that ends before the create does leaves no mapping behind', async () => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'delay', ms: 1500 });
    await scenario.create();
    await eventually(() => expect(scenario.hana.writes()).toEqual(['create']));
    // As the API server does when it began the deletion before it stored the finalizer.
    await scenario.patch({ metadata: { finalizers: null } });
    await scenario.delete();
    await scenario.untilGone();
    await eventually(() => expect(scenario.hana.writes()).toEqual(['create', 'delete']));
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('in the foreground does not wait for the garbage collector, which waits for the provider', async () => {
    const scenario = await readyMapping();
    await scenario.delete('Foreground');
    // The collector may take half a minute to discover new kinds.
    await eventually(async () => {
      const finalizers = (await scenario.find())?.metadata.finalizers ?? [];
      expect(finalizers).not.toContain('finalizer.managedresource.crossplane.io');
    });
    expect(scenario.mappings()).toEqual([]);
  });
});
