import { describe, expect, test } from '@jest/globals';
import { missingWithoutCreateText } from '../../../internal/framework/managed/steps/messages/messages.ts';
import { eventually } from '../../environment/eventually.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

/** Each request was completed before the next one was sent, so no two changes were ever in flight together. */
function expectOneByOne(scenario: Scenario, since: number): void {
  const requests = scenario.hana.requests({ since });
  expect(requests.map(({ inFlight }) => inFlight)).toEqual(requests.map(() => 1));
}

describe('a mapping that a third party removed', () => {
  test.concurrent('is restored by a request for a reconcile', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    scenario.hana.removeMapping();
    await scenario.reconcile();
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(scenario.hana.writes()).toEqual(['create', 'create']);
  });

  test.concurrent('is restored by the next poll, at the interval of the resource', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady({ annotations: { 'crossplane.io/poll-interval': '1s' } });
    for (let round = 0; round < 2; round++) {
      scenario.hana.removeMapping();
      await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping()]));
    }
    await scenario.annotate({ 'crossplane.io/poll-interval': null });
  });

  test.concurrent('is reported as missing where the policies do not allow a create', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.patch({ spec: { managementPolicies: ['Observe', 'Delete'] } });
    scenario.hana.removeMapping();
    await scenario.reconcile();
    expect(await scenario.condition('Synced')).toMatchObject({
      reason: 'ReconcileError',
      message: `observe failed: ${missingWithoutCreateText}`,
    });
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    expect(scenario.mappings()).toEqual([]);
  });
});

describe('another isDefault', () => {
  test.concurrent('that a third party set is corrected: deleted first, then created, never two together', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady({ forProvider: { isDefault: true } });
    scenario.hana.removeMapping();
    scenario.hana.addMapping({ isDefault: false });
    const mark = scenario.hana.mark();

    await scenario.reconcile();

    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ isDefault: true })]);
    expect(scenario.hana.calls(mark)).toEqual(['list', 'delete', 'create', 'list']);
    expectOneByOne(scenario, mark);
    await scenario.untilReady();
  });

  test.concurrent('that the spec requests is applied immediately', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.patch({ spec: { forProvider: { isDefault: true } } });
    await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping({ isDefault: true })]));
    expect(scenario.hana.writes()).toEqual(['create', 'delete', 'create']);
    await scenario.untilReady();
  });

  test.concurrent('is completed where only the deletion succeeded', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const fault = scenario.hana.fault({ route: 'create' }, { kind: 'unavailable' });
    await scenario.patch({ spec: { forProvider: { isDefault: true } } });
    await scenario.untilReason('Synced', 'ReconcileError');
    expect(scenario.mappings()).toEqual([]);
    await expectRightDiagnosis(environment, scenario);
    fault.remove();
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ isDefault: true })]);
  });

  test.concurrent('is left alone, and reported, where the policies do not allow Update', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady({ spec: { managementPolicies: ['Observe', 'Create', 'Delete'] } });
    scenario.hana.removeMapping();
    scenario.hana.addMapping({ isDefault: true });
    const mark = scenario.hana.mark();
    await scenario.reconcile();
    await scenario.untilReady();
    const synced = await scenario.condition('Synced');
    expect(synced?.message).toContain('spec.managementPolicies does not allow Update');
    expect(scenario.hana.writes(mark)).toEqual([]);
    await expectRightDiagnosis(environment, scenario);
  });
});
