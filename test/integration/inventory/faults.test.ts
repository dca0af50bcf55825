import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { FaultAction, FaultMatch } from '../../simulators/hana-cloud/faults/faults.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe('a create', () => {
  test.concurrent('whose response is lost is looked up, not repeated', async () => {
    const scenario = await environment.scenario();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'reset', when: 'after' });
    await scenario.createReady();
    expect(scenario.hana.writes()).toEqual(['create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  test.concurrent('that had no effect is repeated after a list', async () => {
    const scenario = await environment.scenario();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'reset', when: 'before' });
    await scenario.createReady();
    expect(scenario.hana.calls()).toEqual(['list', 'create', 'list', 'create', 'list']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    await scenario.untilEvent('CannotCreateExternalResource');
  });

  test.concurrent('for an unknown instance reports it, and is done once HANA Cloud knows the instance', async () => {
    const scenario = await environment.scenario();
    environment.simulator.store.removeInstance(scenario.instanceID);
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data: await credentialsOfAnother() });
    await scenario.create();
    const synced = await scenario.untilReason('Synced', 'ReconcileError');
    expect(synced.message).toMatch(
      new RegExp(`^create failed: cannot create a mapping of instance ${scenario.instanceID}: .* 404`),
    );
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Creating' });
    await expectRightDiagnosis(environment, scenario);

    environment.simulator.store.addInstance(scenario.instanceID);
    await scenario.apply('secret');
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  async function credentialsOfAnother() {
    environment.simulator.store.addInstance('i-another');
    return (await environment.simulator.credentials('i-another')).fields;
  }
});

describe('a response of HANA Cloud', () => {
  test.concurrent('with a Retry-After is respected', async () => {
    const scenario = await environment.scenario();
    const patience = { kind: 'status', status: 429, headers: { 'retry-after': '3' } } as const;
    scenario.hana.fault({ route: 'create', first: 1 }, patience);
    await scenario.createReady();
    const requests = scenario.hana.requests();
    const asked = requests.findIndex(({ status }) => status === 429);
    const waited = (requests[asked + 1]?.at ?? 0) - (requests[asked]?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(2900);
  });

  test.concurrent.each<{ title: string; on: FaultMatch; fault: FaultAction; says: string }>([
    {
      title: 'is no JSON',
      on: { route: 'list' },
      fault: { kind: 'malformed' },
      says: 'the body is not JSON',
    },
    { title: 'is 503', on: {}, fault: { kind: 'unavailable' }, says: 'answered 503' },
  ])('that $title is an error of one line, Ready stays, and it recovers', async ({ on, fault, says }) => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const rule = scenario.hana.fault(on, fault);
    await scenario.reconcile();
    const synced = await scenario.condition('Synced');
    expect(synced).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(synced?.message).toContain(says);
    expect(synced?.message).toMatch(
      /^observe failed: cannot list the mappings of instance .+: GET \/[^\n]*$/,
    );
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'True' });
    await expectRightDiagnosis(environment, scenario);
    rule.remove();
    await scenario.untilReady();
    await expectRightDiagnosis(environment, scenario);
    expect(scenario.hana.writes()).toEqual(['create']);
  });
});

describe('a process that ends in the middle', () => {
  test('of a create completes it first, so its successor repeats nothing', async () => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'delay', ms: 1500 });
    await scenario.create();
    await eventually(() => expect(scenario.hana.writes()).toEqual(['create']));
    await environment.restartProvider();
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  /** As the Go provider and former versions of this one leave it. */
  const pending = '2024-01-01T00:00:00Z';
  const begun = (externalName: string) => ({
    'crossplane.io/external-name': externalName,
    'crossplane.io/external-create-pending': pending,
  });

  test.concurrent('between a create and its record is resolved by the next reconcile', async () => {
    const scenario = await environment.scenario();
    scenario.hana.addMapping();
    await scenario.createReady({ annotations: begun(scenario.externalName) });
    expect(scenario.hana.writes()).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  test.concurrent('between the intent and the create is resolved by a create', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady({ annotations: begun(scenario.externalName) });
    expect(scenario.hana.writes()).toEqual(['create']);
  });

  test.concurrent('of a create whose sources changed meanwhile leaves no mapping behind', async () => {
    const scenario = await environment.scenario();
    const primaryID = `old-${scenario.clusterID}`;
    scenario.hana.addMapping({ primaryID });
    const old = `${scenario.instanceID}/${primaryID}/${scenario.namespace}`;
    await scenario.createReady({ annotations: begun(old) });
    expect(scenario.hana.writes()).toEqual(['delete', 'create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  /** Makes the mapping as a process leaves it that ends after the intent, by default its own intent. */
  const createInterrupted = async (scenario: Scenario, externalName: string, uid?: string) => {
    await scenario.applySources();
    const { metadata } = await scenario.create({ annotations: { 'crossplane.io/paused': 'true' } });
    await scenario.annotate({
      'crossplane.io/external-name': externalName,
      'crossplane.io/external-create-intent': `${uid ?? metadata.uid} ${externalName}`,
      'crossplane.io/paused': null,
    });
  };

  test.concurrent('after the intent is resolved, whether its create took effect or not', async () => {
    const made = await environment.scenario();
    made.hana.addMapping();
    const absent = await environment.scenario();
    for (const scenario of [made, absent]) await createInterrupted(scenario, scenario.externalName);
    for (const scenario of [made, absent]) await scenario.untilReady();
    expect([made.hana.writes(), absent.hana.writes()]).toEqual([[], ['create']]);
  });

  test.concurrent('after the intent leaves no mapping behind, even if the sources changed meanwhile', async () => {
    const scenario = await environment.scenario();
    const primaryID = `old-${scenario.clusterID}`;
    scenario.hana.addMapping({ primaryID });
    await createInterrupted(scenario, `${scenario.instanceID}/${primaryID}/${scenario.namespace}`);
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['delete', 'create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  test.concurrent('does not count for a copy from a backup: the mapping of the original is not touched', async () => {
    const scenario = await environment.scenario();
    const primaryID = `original-${scenario.clusterID}`;
    scenario.hana.addMapping({ primaryID });
    const original = `${scenario.instanceID}/${primaryID}/${scenario.namespace}`;
    await createInterrupted(scenario, original, 'uid-of-the-original');
    await scenario.untilReason('Synced', 'ReconcileError');
    expect(scenario.hana.writes()).toEqual([]);
    await expectRightDiagnosis(environment, scenario);
  });

  test.concurrent('a create leaves no annotation that stops crossplane-runtime', async () => {
    const scenario = await environment.scenario();
    const { metadata } = await scenario.createReady();
    const names = Object.keys(metadata.annotations ?? {}).filter((name) => /external-create/.test(name));
    expect(names).toEqual(['crossplane.io/external-create-intent']);
  });

  test.concurrent('has settled that create once its mapping was observed: a name written later is not ours', async () => {
    const scenario = await environment.scenario();
    scenario.hana.addMapping();
    await scenario.createReady({ annotations: begun(scenario.externalName) });
    const primaryID = `other-${scenario.clusterID}`;
    scenario.hana.addMapping({ primaryID });
    const other = `${scenario.instanceID}/${primaryID}/${scenario.namespace}`;
    await scenario.annotate({ 'crossplane.io/external-name': other });
    await scenario.untilReason('Synced', 'ReconcileError');

    await scenario.delete();

    await eventually(async () => {
      const synced = await scenario.condition('Synced');
      expect(synced?.message).toMatch(/is not the mapping .* recorded in the status/);
    });
    expect(scenario.mappings()).toHaveLength(2);
    await scenario.annotate({ 'crossplane.io/external-name': scenario.externalName });
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ primaryID })]);
  });
});
