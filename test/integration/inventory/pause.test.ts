import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

/** Reconciles that this file's provider has ended. */
async function reconciles(): Promise<number> {
  const metrics = await environment.provider.get('/metrics');
  return sumIn(metrics, 'controller_runtime_reconcile_total') ?? 0;
}

interface Pause {
  readonly title: string;
  readonly begin: (scenario: Scenario) => Promise<unknown>;
  readonly end: (scenario: Scenario) => Promise<unknown>;
}
const pauses: Pause[] = [
  {
    title: 'its annotation',
    begin: ({ annotate }) => annotate({ 'crossplane.io/paused': 'true' }),
    end: ({ annotate }) => annotate({ 'crossplane.io/paused': null }),
  },
  {
    title: 'empty managementPolicies',
    begin: ({ patch }) => patch({ spec: { managementPolicies: [] } }),
    end: ({ patch }) => patch({ spec: { managementPolicies: ['*'] } }),
  },
];

describe.each(pauses)('a mapping paused by $title', ({ begin, end }) => {
  /** Triggers three reconciles. The status of a request for a reconcile is not updated while it is paused. */
  const disturb = async (scenario: Scenario) => {
    for (const round of ['1', '2', '3']) {
      const before = await reconciles();
      await scenario.annotate({ 'test.example.org/round': round });
      await eventually(async () => expect(await reconciles()).toBeGreaterThan(before));
    }
    expect(await scenario.condition('Synced')).toMatchObject({ reason: 'ReconcilePaused' });
  };

  test('is left alone, reports it once, and goes on after it', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await begin(scenario);
    await scenario.untilReason('Synced', 'ReconcilePaused');
    await expectRightDiagnosis(environment, scenario);
    const mark = scenario.hana.mark();
    scenario.hana.removeMapping();

    await disturb(scenario);
    const events = await scenario.untilEvent('ReconciliationPaused');
    expect(events.map(({ count }) => count)).toEqual([1]);
    expect(scenario.hana.calls(mark)).toEqual([]);
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'True' });

    await end(scenario);
    await scenario.untilReady();
    await expectRightDiagnosis(environment, scenario);
    expect(scenario.hana.writes(mark)).toEqual(['create']);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  test('is not deleted before the pause ends, and reports that the deletion waits', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await begin(scenario);
    await scenario.untilReason('Synced', 'ReconcilePaused');
    const mark = scenario.hana.mark();

    await scenario.delete();
    await disturb(scenario);
    expect((await scenario.condition('Synced'))?.message).toContain(
      'the deletion waits until the pause ends',
    );
    expect(scenario.hana.calls(mark)).toEqual([]);

    await end(scenario);
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});
