/**
 * A statement of a third party about a mapping must not take it from its owner: a claim counts only where HANA Cloud
 * accepted the claimant's own credentials, and nothing is decided before all resources are known.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { packageCrds } from '../../environment/install-crds.ts';
import { provisioned } from '../../environment/manifests.ts';
import { crossplaneRules, declaresSafeStart } from '../../environment/package-permissions.ts';
import { startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import {
  type FaultEnvironment,
  inFaultEnvironment,
  startFaultEnvironment,
} from '../faults/fault-environment.ts';
import { nextSecond } from '../harness/mappings/next-second.ts';
import type { CreateOptions, Scenario, ScenarioOptions } from '../harness/mappings/scenario.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';
import { startSlowListProxy } from './slow-list-proxy.ts';

/** Of all tests but those that start a provider of their own. */
let environment: FaultEnvironment;
let provider: ProviderProcess;
beforeAll(async () => {
  environment = await startFaultEnvironment();
  provider = await environment.run();
});
afterAll(() => environment.stop());

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

test.concurrent.each([401, 403, 404])(
  'credentials that HANA Cloud rejects with %i claim nothing',
  async (status) => {
    const [attacker, victim] = [await environment.scenario(), await environment.scenario()];
    const body = { error: { code: 'REFUSED', message: 'not your instance' } };
    environment.simulator.faults.add({
      on: { clientID: attacker.hana.clientID(), instance: victim.instanceID },
      do: { kind: 'status', status, body },
    });
    await claimInVain(victim, attacker);
    await victim.createReady();
    await expectBystanderServed(environment, provider);
    await expectDeletable(victim);
  },
);

test.concurrent('a mapping that HANA Cloud refuses to create does not hold the default of a cluster', async () => {
  const [attacker, victim] = [await environment.scenario(), await environment.scenario()];
  attacker.hana.fault({ route: 'create' }, { kind: 'status', status: 403, body: 'not your cluster' });
  await attacker.applySources();
  await attacker.apply('config', { data: { CLUSTER_ID: victim.clusterID } });
  await attacker.create({ forProvider: { isDefault: true } });
  await attacker.untilReason('Synced', 'ReconcileError');
  await nextSecond();

  await victim.createReady({ forProvider: { isDefault: true } });

  await expectBystanderServed(environment, provider);
  await attacker.reconcile();
  await victim.reconcile();
  await victim.untilReady();
  expect(victim.mappings()).toEqual([victim.hana.mapping({ isDefault: true })]);
});

test.concurrent(
  'an API of the attacker that shows the instance proves nothing at HANA Cloud',
  inFaultEnvironment(async (environment) => {
    const evil = await startHanaCloudSimulator();
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    try {
      const trusted = join(folder, 'ca.pem');
      await writeFile(trusted, `${environment.simulator.caCertificate}\n${evil.caCertificate}`);
      const provider = await environment.run({ env: { NODE_EXTRA_CA_CERTS: trusted } });
      const [attacker, victim] = [await environment.scenario(), await environment.scenario()];
      evil.store.addInstance(victim.instanceID);
      await attacker.applySources();
      await attacker.apply('secret', { data: evil.secrets(victim.instanceID).fields });
      await stateMappingOf(victim, attacker);
      await attacker.create(namedAs(victim));
      // To the attacker all is well: it has a mapping at its own API.
      await attacker.untilReady();
      await nextSecond();

      await victim.createReady();

      await expectBystanderServed(environment, provider);
      // Back at HANA Cloud, where the record of an earlier proof is no longer its own.
      await attacker.apply('secret');
      await attacker.reconcile();
      await victim.reconcile();
      await victim.untilReady();
      await expectDeletable(victim);
    } finally {
      await rm(folder, { recursive: true });
      await evil.stop();
    }
  }),
);

test.concurrent('a status and a record that a tenant writes by hand claim nothing', async () => {
  const attacker = await environment.scenario({ scope: 'namespaced' });
  await attacker.createReady();
  await nextSecond();
  const victim = await environment.scenario();
  const { metadata } = await victim.createReady();
  await attacker.annotate({ 'crossplane.io/paused': 'true' });
  await attacker.untilReason('Synced', 'ReconcilePaused');
  const seenBy = 'inventory.hana.orchestrate.cloud.sap/seen-by';
  await attacker.annotate({
    [seenBy]: metadata.annotations?.[seenBy] ?? '',
    'crossplane.io/external-name': victim.externalName,
  });
  const { instanceID: serviceInstanceID, clusterID: primaryID, namespace: secondaryID } = victim;
  const hana = { mappingId: { serviceInstanceID, primaryID, secondaryID }, ready: true };
  const { apiVersion, kind, spec } = await attacker.get();
  await environment.management.applyStatus<KymaInstanceMapping>(kymaInstanceMappingTypes.namespaced, {
    apiVersion,
    kind,
    metadata: { name: attacker.name, namespace: attacker.home },
    spec,
    status: { atProvider: { hana } },
  } as KymaInstanceMapping);

  await victim.reconcile();
  await victim.untilReady();
  await expectDeletable(victim);
});

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
