/**
 * The write that brings what is missing makes the mapping Ready, by no poll: those are ten minutes apart here.
 * How long it takes, `npm run bench` measures.
 */
import { describe, expect, test } from '@jest/globals';
import { forFile } from '../../harness/for-file.ts';
import type { Scenario, SourceName } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment);

const all: readonly SourceName[] = ['instance', 'binding', 'secret', 'config'];

/** Lets the mapping begin to wait, brings what is missing, and expects that to make it Ready. */
async function expectPromptRecovery(scenario: Scenario, bring: () => Promise<void>): Promise<void> {
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  await bring();
  await scenario.untilReady();
  expect(scenario.mappings()).toHaveLength(1);
}

describe.each(['local', 'remote'] as const)('with %s sources', (sources) => {
  test.concurrent.each(all)('the %s that was missing appears', async (source) => {
    const scenario = await environment.scenario({ sources });
    await scenario.applySources(all.filter((name) => name !== source));
    await expectPromptRecovery(scenario, () => scenario.apply(source));
  });
});

describe('the kubeconfig', () => {
  test.concurrent('its Secret appears', async () => {
    const scenario = await environment.scenario();
    await scenario.removeKubeconfig();
    await scenario.applySources();
    await expectPromptRecovery(scenario, () =>
      scenario.applyKubeconfig({ kubeconfig: environment.planes.kyma.kubeconfig }),
    );
  });
});

test('a source that appears while no provider runs is found by the next one', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources(['instance', 'secret', 'config']);
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  await environment.provider.stop();
  await scenario.apply('binding');
  await environment.restartProvider();
  await scenario.untilReady();
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});
