import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
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

interface Hold {
  readonly title: string;
  readonly takeAway: (scenario: Scenario) => Promise<void>;
  readonly bringBack: (scenario: Scenario) => Promise<void>;
  /** What the condition names as missing. */
  readonly missing: (scenario: Scenario) => string;
}

const holds: Hold[] = [
  {
    title: 'the Secret of the ServiceBinding',
    takeAway: ({ remove }) => remove('secret'),
    bringBack: ({ apply }) => apply('secret'),
    missing: ({ namespace }) =>
      `ServiceBinding ${namespace}/hana-admin: secret ${namespace}/hana-admin-credentials not found`,
  },
  {
    title: 'a Kyma cluster that responds',
    takeAway: async ({ applyKubeconfig }) => {
      const { kubeconfig, server } = environment.planes.kyma;
      // Nothing listens on port 1.
      await applyKubeconfig({ kubeconfig: kubeconfig.replaceAll(server, 'https://127.0.0.1:1') });
    },
    bringBack: ({ applyKubeconfig }) => applyKubeconfig({ kubeconfig: environment.planes.kyma.kubeconfig }),
    missing: () => 'is unreachable',
  },
];

describe('a deletion that is held', () => {
  const heldWithout = async ({ takeAway }: Hold): Promise<Scenario> => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await takeAway(scenario);
    // The provider is told of kubeconfigs by a watch: before its event a deletion would still succeed.
    const observer = await scenario.createRival({ spec: { managementPolicies: ['Observe'] } });
    await eventually(async () => {
      await observer.reconcile();
      expect(await observer.condition('Synced')).toMatchObject({ reason: 'Waiting' });
    });
    await scenario.delete();
    await scenario.untilReason('Synced', 'Waiting');
    await expectRightDiagnosis(environment, scenario);
    return scenario;
  };

  test.concurrent.each(holds)(
    'waits without $title, names what is missing and how to remove the finalizer, and goes on when it is back',
    async (hold) => {
      const scenario = await heldWithout(hold);
      const synced = await scenario.condition('Synced');
      expect(synced?.message).toContain(hold.missing(scenario));
      expect(synced?.message).toContain('set spec.deletionPolicy to Orphan or take Delete out of');
      const events = await scenario.untilEvent('Waiting');
      expect(events).toMatchObject([{ type: 'Normal', message: synced?.message }]);
      expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);

      await hold.bringBack(scenario);

      await scenario.untilGone();
      expect(scenario.mappings()).toEqual([]);
    },
  );
});
