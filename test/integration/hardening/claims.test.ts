/**
 * What others state about a mapping must not take it from its owner: a claim counts only where HANA Cloud answered the
 * claimant's own credentials, and nothing is decided before all resources are known.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../../internal/controllers/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { packageCrds } from '../../environment/install-crds.ts';
import { provisioned } from '../../environment/manifests.ts';
import { crossplaneRules, declaresSafeStart } from '../../environment/package-permissions.ts';
import { startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import { type FaultyWorld, startFaultyWorld } from '../faults/fault-environment.ts';
import type { CreateOptions, Scenario, ScenarioOptions } from '../harness/mappings/scenario.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { expectBystanderServed } from './bystander.ts';
import { type SlowListProxy, startSlowListProxy } from './slow-list-proxy.ts';

let world: FaultyWorld;
beforeAll(async () => {
  world = await startFaultyWorld();
});
afterEach(() => world.killProviders());
afterAll(() => world.stop());

/** Resources of one second are equally old, and their uids decide. */
const nextSecond = () => sleep(1100);

/** All that the attacker's sources say is the victim's; the credentials are the attacker's own. */
async function stateMappingOf(victim: Scenario, attacker: Scenario): Promise<void> {
  await attacker.apply('instance', { status: { instanceID: victim.instanceID, ...provisioned } });
  await attacker.apply('config', { data: { CLUSTER_ID: victim.clusterID } });
}

const namedAs = (victim: Scenario): CreateOptions => ({
  forProvider: { targetNamespace: victim.namespace },
});

const scopes: readonly (ScenarioOptions & { readonly title: string })[] = [
  { title: 'a cluster-scoped resource', scope: 'cluster' },
  { title: 'a namespaced resource', scope: 'namespaced' },
];

describe.each(scopes)('the owner of an older Kyma cluster, by $title,', ({ title: _, ...options }) => {
  test('cannot keep a mapping from becoming Ready by stating its IDs first', async () => {
    const provider = await world.run();
    const [attacker, victim] = [await world.scenario(options), await world.scenario()];
    await attacker.applySources();
    await stateMappingOf(victim, attacker);
    await attacker.create(namedAs(victim));
    await attacker.untilReason('Synced', 'ReconcileError');
    await nextSecond();

    await victim.createReady();

    await expectBystanderServed(world, provider);
    await attacker.reconcile();
    await victim.reconcile();
    await victim.untilReady();
    expect(victim.mappings()).toEqual([victim.hana.mapping()]);
    await victim.delete();
    await victim.untilGone();
    expect(victim.mappings()).toEqual([]);
  });

  test('cannot take a mapping that is Ready, nor have it left behind by its deletion, also after a restart', async () => {
    await world.run();
    const [attacker, victim] = [await world.scenario(options), await world.scenario()];
    await attacker.createReady(namedAs(victim));
    await nextSecond();
    await victim.createReady();

    await stateMappingOf(victim, attacker);
    await attacker.reconcile();
    await attacker.untilReason('Synced', 'Conflict');
    await victim.reconcile();
    await victim.untilReady();

    await world.killProviders();
    const provider = await world.run();
    await expectBystanderServed(world, provider);
    await victim.delete();
    await victim.untilGone();
    expect(victim.mappings()).toEqual([]);
  });
});

test.each([401, 403, 404])('credentials that HANA Cloud answers with %i claim nothing', async (status) => {
  const provider = await world.run();
  const [attacker, victim] = [await world.scenario(), await world.scenario()];
  const body = { error: { code: 'REFUSED', message: 'not your instance' } };
  world.simulator.faults.add({
    on: { clientID: await attacker.hana.clientID(), instance: victim.instanceID },
    do: { kind: 'status', status, body },
  });
  await attacker.applySources();
  await stateMappingOf(victim, attacker);
  await attacker.create(namedAs(victim));
  await attacker.untilReason('Synced', 'ReconcileError');
  await nextSecond();
  await victim.createReady();
  await expectBystanderServed(world, provider);
  await victim.delete();
  await victim.untilGone();
  expect(victim.mappings()).toEqual([]);
});

test('the default of a cluster is not held by a mapping that HANA Cloud refuses to make', async () => {
  const provider = await world.run();
  const [attacker, victim] = [await world.scenario(), await world.scenario()];
  attacker.hana.fault({ route: 'create' }, { kind: 'status', status: 403, body: 'not your cluster' });
  await attacker.applySources();
  await attacker.apply('config', { data: { CLUSTER_ID: victim.clusterID } });
  await attacker.create({ forProvider: { isDefault: true } });
  await attacker.untilReason('Synced', 'ReconcileError');
  await nextSecond();

  await victim.createReady({ forProvider: { isDefault: true } });

  await expectBystanderServed(world, provider);
  await attacker.reconcile();
  await victim.reconcile();
  await victim.untilReady();
  expect(victim.mappings()).toEqual([victim.hana.mapping({ isDefault: true })]);
});

test('an API of the attacker that shows the instance proves nothing at HANA Cloud', async () => {
  const evil = await startHanaCloudSimulator();
  const folder = await mkdtemp(join(tmpdir(), 'claims-'));
  try {
    const trusted = join(folder, 'ca.pem');
    await writeFile(trusted, `${world.simulator.caCertificate}\n${evil.caCertificate}`);
    const provider = await world.run({ env: { NODE_EXTRA_CA_CERTS: trusted } });
    const [attacker, victim] = [await world.scenario(), await world.scenario()];
    evil.store.addInstance(victim.instanceID);
    await attacker.applySources();
    await attacker.apply('secret', { data: (await evil.credentials(victim.instanceID)).fields });
    await stateMappingOf(victim, attacker);
    await attacker.create(namedAs(victim));
    // To the attacker all is well: it has a mapping at its own API.
    await attacker.untilReady();
    await nextSecond();

    await victim.createReady();

    await expectBystanderServed(world, provider);
    // Back at HANA Cloud, where the record of an earlier proof is no longer its own.
    await attacker.apply('secret');
    await attacker.reconcile();
    await victim.reconcile();
    await victim.untilReady();
    await victim.delete();
    await victim.untilGone();
    expect(victim.mappings()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
    await evil.stop();
  }
});

test('a status and a record that a tenant writes by hand claim nothing', async () => {
  await world.run();
  const attacker = await world.scenario({ scope: 'namespaced' });
  await attacker.createReady();
  await nextSecond();
  const victim = await world.scenario();
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
  await world.management.applyStatus<KymaInstanceMapping>(kymaInstanceMappingTypes.modern, {
    apiVersion,
    kind,
    metadata: { name: attacker.name, namespace: attacker.home },
    spec,
    status: { atProvider: { hana } },
  } as KymaInstanceMapping);

  await victim.reconcile();
  await victim.untilReady();
  await victim.delete();
  await victim.untilGone();
  expect(victim.mappings()).toEqual([]);
});

describe('while the resources of another kind are not listed', () => {
  const unlisted = 'instancemappings.inventory.hana.m.orchestrate.cloud.sap';
  let proxy: SlowListProxy;
  beforeAll(async () => {
    proxy = await startSlowListProxy(world.account.kubeconfig);
  });
  afterAll(() => proxy.close());

  test('for want of a right, a deletion waits, says which, and goes on once it is granted', async () => {
    const account = await addProviderAccount(world.planes.management);
    const crds = await packageCrds();
    const others = crds.filter(({ metadata }) => metadata.name !== unlisted);
    const safeStart = await declaresSafeStart();
    await account.grantExample();
    await account.grant(crossplaneRules(others, { safeStart }));
    const provider = await world.run({ kubeconfig: account.kubeconfig });
    const scenario = await world.scenario();
    await scenario.createReady();
    await scenario.delete();

    const { message } = await scenario.untilReason('Synced', 'Waiting');

    expect(message).toContain(`cannot delete the mapping ${JSON.stringify(scenario.externalName)}`);
    expect(message).toMatch(new RegExp(`the list of ${unlisted} is not complete \\(.*forbidden`));
    await expectBystanderServed(world, provider);
    expect(scenario.mappings()).toHaveLength(1);
    await account.grantCrossplaneRole();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test('a younger duplicate takes and deletes nothing, and healthy mappings become Ready', async () => {
    await world.run();
    const scenario = await world.scenario();
    await scenario.applySources();
    const { instanceID, clusterID: primaryID, namespace: secondaryID } = scenario;
    const older = world.instanceMapping({ instanceID, primaryID, secondaryID });
    // Without credentials at first, so that the younger one creates the mapping and has it on record.
    await older.create();
    await nextSecond();
    await scenario.create();
    await scenario.untilReady();
    await older.applySecret();
    await older.untilReady();
    await scenario.untilReason('Synced', 'Conflict');
    await world.killProviders();
    await scenario.delete();
    proxy.hold('instancemappings.inventory.hana.orchestrate.cloud.sap');
    const mark = scenario.hana.mark();

    const provider = await world.run({ kubeconfig: proxy.kubeconfig });

    await eventually(() => expect(proxy.held()).toBeGreaterThan(0));
    const { message } = await scenario.untilReason('Synced', 'Waiting');
    expect(message).toContain('instancemappings.inventory.hana.orchestrate.cloud.sap');
    await expectBystanderServed(world, provider);
    // Longer than an earlier release waited for lists.
    await sleep(6000);
    expect(scenario.hana.writes(mark)).toEqual([]);

    proxy.release();

    await scenario.untilGone();
    expect(scenario.hana.writes(mark)).toEqual([]);
    expect(older.mappings()).toEqual([older.hana.mapping()]);
  });
});
