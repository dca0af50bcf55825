import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { FaultAction, FaultMatch } from '../../simulators/hana-cloud/faults/faults.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
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

  test.concurrent('a create leaves no annotation that stops crossplane-runtime', async () => {
    const scenario = await environment.scenario();
    const { metadata } = await scenario.createReady();
    const names = Object.keys(metadata.annotations ?? {}).filter((name) => /external-create/.test(name));
    expect(names).toEqual(['crossplane.io/external-create-intent']);
  });
});
