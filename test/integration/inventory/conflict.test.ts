import { describe, expect, test } from '@jest/globals';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

/** A mapping that is there, and another resource over the same sources that is younger. */
async function contested() {
  const scenario = await environment.scenario();
  await scenario.createReady();
  await nextSecond();
  return { scenario, rival: await scenario.createRival() };
}

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
