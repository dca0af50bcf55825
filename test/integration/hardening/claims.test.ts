import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { packageCrds } from '../../environment/install-crds.ts';
import { provisioned } from '../../environment/manifests.ts';
import { crossplaneRules, declaresSafeStart } from '../../environment/package-permissions.ts';
import { inFaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { forFile } from '../harness/for-file.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import type { CreateOptions, Scenario, ScenarioOptions } from '../harness/mappings/scenario.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';
import { startSlowListProxy } from './slow-list-proxy.ts';

/** Of all tests but those that start a provider of their own. */
const environment = forFile(startFaultEnvironment);
let provider: ProviderProcess;
beforeAll(async () => {
  provider = await environment.run();
});

/** The attacker's sources describe the victim's mapping; the credentials are the attacker's own. */
async function stateMappingOf(victim: Scenario, attacker: Scenario): Promise<void> {
  await attacker.apply('instance', { status: { instanceID: victim.instanceID, ...provisioned } });
  await attacker.apply('config', { data: { CLUSTER_ID: victim.clusterID } });
}

const namedAs = (victim: Scenario): CreateOptions => ({
  forProvider: { targetNamespace: victim.namespace },
});

/** The attacker states the mapping of the victim, which is younger then, and HANA Cloud refuses it. */
async function claimInVain(victim: Scenario, attacker: Scenario): Promise<void> {
  await attacker.applySources();
  await stateMappingOf(victim, attacker);
  await attacker.create(namedAs(victim));
  await attacker.untilReason('Synced', 'ReconcileError');
  await nextSecond();
}

/** Nobody else keeps the mapping. */
async function expectDeletable(victim: Scenario): Promise<void> {
  await victim.delete();
  await victim.untilGone();
  expect(victim.mappings()).toEqual([]);
}

const scopes: readonly (ScenarioOptions & { readonly title: string })[] = [
  { title: 'a cluster-scoped resource', scope: 'cluster' },
  { title: 'a namespaced resource', scope: 'namespaced' },
];

test.concurrent.each(scopes)(
  'the owner of an older Kyma cluster, by $title, cannot keep a mapping from becoming Ready by stating its IDs first',
  async ({ title: _, ...options }) => {
    const [attacker, victim] = [await environment.scenario(options), await environment.scenario()];
    await claimInVain(victim, attacker);

    await victim.createReady();

    await expectBystanderServed(environment, provider);
    await attacker.reconcile();
    await victim.reconcile();
    await victim.untilReady();
    expect(victim.mappings()).toEqual([victim.hana.mapping()]);
    await expectDeletable(victim);
  },
);

test.concurrent.each(scopes)(
  'the owner of an older Kyma cluster, by $title, cannot take a mapping that is Ready, nor leave it behind by its deletion, also after a restart',
  ({ title: _, ...options }) =>
    inFaultEnvironment(async (environment) => {
      await environment.run();
      const [attacker, victim] = [await environment.scenario(options), await environment.scenario()];
      await attacker.createReady(namedAs(victim));
      await nextSecond();
      await victim.createReady();

      await stateMappingOf(victim, attacker);
      await attacker.reconcile();
      await attacker.untilReason('Synced', 'Conflict');
      await victim.reconcile();
      await victim.untilReady();

      await environment.killProviders();
      const provider = await environment.run();
      await expectBystanderServed(environment, provider);
      await expectDeletable(victim);
    })(),
);

const unlisted = 'instancemappings.inventory.hana.m.orchestrate.cloud.sap';

test.concurrent(
  'while the resources of another kind are not listed for lack of a permission, a deletion waits, names it, and goes on once it is granted',
  inFaultEnvironment(async (environment) => {
    const account = await addProviderAccount(environment.planes.management);
    const crds = await packageCrds();
    const others = crds.filter(({ metadata }) => metadata.name !== unlisted);
    const safeStart = await declaresSafeStart();
    await account.grantExample();
    await account.grant(crossplaneRules(others, { safeStart }));
    const provider = await environment.run({ kubeconfig: account.kubeconfig });
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.delete();

    const { message } = await scenario.untilReason('Synced', 'Waiting');

    expect(message).toContain(`cannot delete the mapping ${JSON.stringify(scenario.externalName)}`);
    expect(message).toMatch(new RegExp(`the list of ${unlisted} is not complete \\(.*forbidden`));
    await expectBystanderServed(environment, provider);
    expect(scenario.mappings()).toHaveLength(1);
    await account.grantCrossplaneRole();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  }),
);

test.concurrent(
  'while the resources of another kind are not listed, a younger duplicate takes and deletes nothing, and healthy mappings become Ready',
  inFaultEnvironment(async (environment) => {
    const proxy = await startSlowListProxy(environment.account.kubeconfig);
    environment.onStop(proxy.close);
    await environment.run();
    const scenario = await environment.scenario();
    await scenario.applySources();
    const { instanceID, clusterID: primaryID, namespace: secondaryID } = scenario;
    const older = environment.instanceMapping({ instanceID, primaryID, secondaryID });
    // Without credentials at first, so that the younger one creates the mapping and has it on record.
    await older.create();
    await nextSecond();
    await scenario.create();
    await scenario.untilReady();
    await older.applySecret();
    await older.untilReady();
    await scenario.untilReason('Synced', 'Conflict');
    await environment.killProviders();
    await scenario.delete();
    proxy.hold('instancemappings.inventory.hana.orchestrate.cloud.sap');
    const mark = scenario.hana.mark();

    const provider = await environment.run({ kubeconfig: proxy.kubeconfig });

    await eventually(() => expect(proxy.held()).toBeGreaterThan(0));
    const { message } = await scenario.untilReason('Synced', 'Waiting');
    expect(message).toContain('instancemappings.inventory.hana.orchestrate.cloud.sap');
    await expectBystanderServed(environment, provider);
    // Longer than an earlier release waited for lists.
    await sleep(6000);
    expect(scenario.hana.writes(mark)).toEqual([]);

    proxy.release();

    await scenario.untilGone();
    expect(scenario.hana.writes(mark)).toEqual([]);
    expect(older.mappings()).toEqual([older.hana.mapping()]);
  }),
);
