/**
 * What a user who can write into one namespace only can reach: nothing in other namespaces. Each test is an attacker
 * beside a tenant whose sources are all readable.
 */
import { describe, expect, test } from '@jest/globals';
import { hanaConfigKinds } from '../../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../../environment/eventually.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { objectsIn } from '../../harness/source-requests.ts';
import { requestsAbout, tenantNamespace } from '../../harness/tenants.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';
import { type ConfigObject, configObject, createConfig, usageOf } from '../../runtime/config-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe('a mapping that names sources of another namespace on its own cluster', () => {
  test.concurrent('is refused before any of them is read, goes on once it is corrected, and can be deleted', async () => {
    const victim = await environment.scenario({ sources: 'local' });
    await victim.applySources();
    const home = await tenantNamespace(environment);
    const stranger = await victim.createRival({}, home);

    const { message } = await stranger.untilReason('Synced', 'ReconcileError');
    expect(message).toBe(
      `connect failed: ${['serviceInstanceRef', 'adminBindingRef', 'clusterIdConfigMapRef']
        .map((field) => `${field} names the namespace "${victim.namespace}"`)
        .join(
          ', ',
        )}: a resource of the namespace "${home}" reads from that one alone, except on another cluster by kymaConnectionRef`,
    );
    expect(await stranger.condition('Ready')).toMatchObject({ status: 'False', message });
    await stranger.reconcile();
    expect(await requestsAbout(environment, victim.namespace)).toEqual([]);
    expect(victim.hana.calls()).toEqual([]);
    await expectRightDiagnosis(environment, stranger);

    const own = { name: 'hana', namespace: home };
    await stranger.patch({
      spec: { forProvider: { serviceInstanceRef: own, adminBindingRef: own, clusterIdConfigMapRef: own } },
    });
    await stranger.untilReason('Synced', 'Waiting');
    await stranger.delete();
    await stranger.untilGone();
  });

  test.concurrent('reads none of them for its deletion either, and reports how it can be deleted', async () => {
    const victim = await environment.scenario({ sources: 'local' });
    await victim.applySources();
    const scenario = await environment.scenario({ sources: 'local', scope: 'namespaced' });
    await scenario.createReady();
    const adminBindingRef = { name: 'hana-admin', namespace: victim.namespace };
    await scenario.patch({ spec: { forProvider: { adminBindingRef } } });
    await scenario.untilReason('Synced', 'ReconcileError');
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'True' });

    await scenario.delete();

    await eventually(async () => {
      const { message } = (await scenario.condition('Synced')) ?? {};
      expect(message).toContain(`adminBindingRef names the namespace "${victim.namespace}"`);
      expect(message).toContain(
        'the mapping stays until they are back; to give it up instead, take Delete out of spec.managementPolicies',
      );
    });
    expect(await requestsAbout(environment, victim.namespace)).toEqual([]);
    await scenario.patch({ spec: { managementPolicies: ['Observe', 'Create', 'Update'] } });
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });
});

describe('a Secret of another namespace', () => {
  test.concurrent('is not used as a kubeconfig: that is read beside the mapping', async () => {
    const victim = await environment.scenario({ scope: 'namespaced' });
    await victim.applySources();
    const stranger = await environment.scenario({ sources: 'local', scope: 'namespaced' });
    const home = stranger.namespace;
    await stranger.create({ forProvider: { kymaConnectionRef: { secretRef: { name: victim.name } } } });
    const { message } = await stranger.untilReason('Synced', 'Waiting');
    expect(message).toContain(`Secret ${home}/${victim.name} with the kubeconfig not found`);
    expect(await requestsAbout(environment, victim.namespace)).toEqual([]);
    await expectRightDiagnosis(environment, stranger);
  });

  test.concurrent('is not used as admin credentials', async () => {
    const victim = environment.instanceMapping({ home: await tenantNamespace(environment) });
    await victim.createReady();
    const home = await tenantNamespace(environment);
    const stranger = environment.instanceMapping({ home });
    await stranger.create({
      forProvider: { adminCredentialsSecretRef: { name: victim.name, key: 'credentials' } },
    });
    const { message } = await stranger.untilReason('Synced', 'Waiting');
    expect(message).toContain(`Secret ${home}/${victim.name} not found`);
    const read = (await requestsAbout(environment, victim.home ?? '')).filter(({ verb }) => verb === 'get');
    expect(new Set(objectsIn(read))).toEqual(new Set([`secrets/${victim.name}`]));
  });
});

test.concurrent('on a remote cluster a mapping names the namespaces that its kubeconfig may read', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  const home = await tenantNamespace(environment);
  await scenario.create({ spec: { managementPolicies: ['Observe'] } });
  const elsewhere = await scenario.createRival({}, home);
  await elsewhere.untilReady();
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});

const { config: type, clusterConfig, usage: usages } = hanaConfigKinds.namespaced;
const held = 'finalizer.providerconfigusage.crossplane.io';

type Kind = 'ProviderConfig' | 'ClusterProviderConfig';

/** A configuration, and a mapping that refers to it. */
async function used(kind: Kind): Promise<{ scenario: Scenario; config: ConfigObject }> {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  const place =
    kind === 'ProviderConfig'
      ? { type, usages, namespace: scenario.namespace }
      : { type: clusterConfig, usages };
  const config = await createConfig(environment.management, place);
  await scenario.createReady({ spec: { providerConfigRef: { kind, name: config.name } } });
  return { scenario, config };
}

describe.each(['ProviderConfig', 'ClusterProviderConfig'] as const)('a namespaced %s', (kind) => {
  test.concurrent('counts the mapping, and stays until it has gone', async () => {
    const { scenario, config } = await used(kind);
    await config.untilUsers(1);
    const mapping = await scenario.get();
    expect(await usageOf(environment.management, mapping)).toMatchObject({
      metadata: {
        namespace: scenario.namespace,
        labels: {
          'crossplane.io/provider-config': config.name,
          'crossplane.io/provider-config-kind': kind,
        },
        finalizers: [held],
        ownerReferences: [{ kind: 'KymaInstanceMapping', uid: mapping.metadata.uid, controller: true }],
      },
      providerConfigRef: { kind, name: config.name },
      resourceRef: { apiVersion: mapping.apiVersion, kind: 'KymaInstanceMapping', name: scenario.name },
    });

    await config.delete();

    const blocked = await eventually(async () => {
      const found = await config.find();
      expect(found?.status?.conditions).toMatchObject([{ type: 'Terminating', reason: 'InUse' }]);
      return found;
    });
    expect(blocked?.status?.users).toBe(1);
    await scenario.delete();
    await scenario.untilGone();
    await config.untilGone();
    expect(await config.usages()).toEqual([]);
    expect(scenario.mappings()).toEqual([]);
  });
});

test.concurrent('a ProviderConfig belongs to its own namespace: one of the same name elsewhere is neither found nor held', async () => {
  const home = await tenantNamespace(environment);
  const elsewhere = await createConfig(environment.management, { type, usages, namespace: home });
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  await scenario.create({ spec: { providerConfigRef: { kind: 'ProviderConfig', name: elsewhere.name } } });
  const { message } = await scenario.untilReason('Synced', 'ReconcileError');
  expect(message).toBe(
    `connect failed: ProviderConfig ${scenario.namespace}/${elsewhere.name} not found; create it, or correct spec.providerConfigRef`,
  );
  await expectRightDiagnosis(environment, scenario);
  const own = configObject(
    environment.management,
    { type, usages, namespace: scenario.namespace },
    elsewhere.name,
  );
  await own.create();
  await scenario.untilReady();
  await own.untilUsers(1);
  await elsewhere.delete();
  await elsewhere.untilGone();
});
