import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

/** A mapping that is there, and another resource over the same sources that is younger. */
async function contested() {
  const scenario = await environment.scenario();
  await scenario.createReady();
  await nextSecond();
  return { scenario, rival: await scenario.createRival() };
}

const rawOf = ({ instanceID, clusterID, namespace }: Scenario) =>
  environment.instanceMapping({ instanceID, primaryID: clusterID, secondaryID: namespace });

describe('of two resources for one mapping', () => {
  test.concurrent('the younger one names the owner, in Synced, in Ready and in one event, and does nothing', async () => {
    const { scenario, rival } = await contested();
    const { message } = await rival.untilReason('Synced', 'Conflict');
    expect(message).toBe(
      `the mapping ${JSON.stringify(scenario.externalName)} is owned by KymaInstanceMapping ${scenario.name}: delete one of the two, or let them describe different mappings`,
    );
    expect(await rival.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Unavailable',
      message,
    });
    await rival.reconcile();
    await expectRightDiagnosis(environment, rival);
    await expectRightDiagnosis(environment, scenario);
    const events = await rival.untilEvent('Conflict');
    expect(events).toMatchObject([{ type: 'Warning', message, count: 1 }]);
    expect((await rival.get()).metadata.finalizers).toBeUndefined();
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['create']);
  });

  test.concurrent('the younger one takes the mapping when the older one is gone, without a request for a reconcile', async () => {
    const { scenario, rival } = await contested();
    await rival.untilReason('Synced', 'Conflict');
    await scenario.delete();
    await scenario.untilGone();
    await rival.untilReady();
    expect(scenario.hana.writes()).toEqual(['create', 'delete', 'create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });
});

describe('an InstanceMapping and a KymaInstanceMapping for one mapping', () => {
  test.concurrent('the KymaInstanceMapping yields where it is the younger, and gets the mapping after the other', async () => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    const raw = rawOf(scenario);
    await raw.createReady();
    await nextSecond();
    await scenario.create();
    const { message } = await scenario.untilReason('Synced', 'Conflict');
    expect(message).toContain(`is owned by InstanceMapping ${raw.name}`);
    await expectRightDiagnosis(environment, scenario);
    await raw.delete();
    await raw.untilGone();
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['create', 'delete', 'create']);
  });
});

describe('of two that want to be the default of one cluster', () => {
  const wish = { forProvider: { isDefault: true } };
  const elsewhere = { targetNamespace: 'elsewhere' };

  test.concurrent('the younger one creates nothing, until the older one gives up the default', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady(wish);
    await nextSecond();
    const rival = await scenario.createRival({ forProvider: { ...elsewhere, isDefault: true } });
    const { message } = await rival.untilReason('Synced', 'Conflict');
    expect(message).toBe(
      `the default mapping of ${JSON.stringify(scenario.clusterID)} is owned by KymaInstanceMapping ${scenario.name}: set spec.forProvider.isDefault to false on one of the two`,
    );
    await rival.reconcile();
    await scenario.reconcile();
    expect(scenario.hana.writes()).toEqual(['create']);

    await scenario.patch({ spec: { forProvider: { isDefault: false } } });

    await rival.untilReady();
    const { hana } = scenario;
    // It was Ready all the time, also while its mapping was replaced.
    await eventually(() =>
      expect(scenario.mappings()).toEqual(
        expect.arrayContaining([
          hana.mapping({ isDefault: false }),
          hana.mapping({ secondaryID: 'elsewhere', isDefault: true }),
        ]),
      ),
    );
  });
});
