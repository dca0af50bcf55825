/** Deletions of whole namespaces, by the controllers of a real control plane, which follow no order. */
import { describe, expect, test } from '@jest/globals';
import { configMaps, namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import { hanaConfigKinds } from '../../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../../environment/eventually.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import type { ManagedObject } from '../../harness/mappings/managed-object.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { tenantNamespace } from '../../harness/tenants.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';
import { createConfig, usageOf } from '../../runtime/config-environment.ts';

const { config: type, usage: usages } = hanaConfigKinds.namespaced;
/** The namespace controller discovers new kinds, and remaining objects, only at intervals. */
const patient = { intervalMs: 100, timeoutMs: 120_000 };

const environment = forFile(startTestEnvironment, withoutViolations);

const deleteNamespace = (name: string) => environment.management.delete(namespaces, { name });

const untilNamespaceGone = (name: string) =>
  eventually(
    async () => expect(await environment.management.find(namespaces, { name })).toBeUndefined(),
    patient,
  );

/** Until the Secret that the credentials are read by is gone, and the mapping is on its way out. */
const untilCutOff = <R extends Managed>({ name, home: namespace = '', find }: ManagedObject<R>) =>
  eventually(async () => {
    expect(await environment.management.find(secrets, { namespace, name })).toBeUndefined();
    expect((await find())?.metadata).toHaveProperty('deletionTimestamp');
  }, patient);

describe('a namespace that is deleted', () => {
  test.concurrent.each(['local', 'remote'] as const)(
    'deletes its mappings, also in HANA Cloud, though their %s credentials are deleted at the same time',
    async (sources) => {
      const scenario = await environment.scenario({ sources, scope: 'namespaced' });
      await scenario.createReady();
      await deleteNamespace(scenario.namespace);
      await untilNamespaceGone(scenario.namespace);
      expect(scenario.mappings()).toEqual([]);
    },
  );

  test.concurrent('deletes a ProviderConfig after its last user, in any order of deletions', async () => {
    const scenario = await environment.scenario({ scope: 'namespaced' });
    const config = await createConfig(environment.management, {
      type,
      usages,
      namespace: scenario.namespace,
    });
    await scenario.createReady({ spec: { providerConfigRef: { kind: type.kind, name: config.name } } });
    await config.untilUsers(1);
    const mapping = await scenario.get();
    const fault = scenario.hana.fault({}, { kind: 'unavailable' });

    await deleteNamespace(scenario.namespace);

    await untilCutOff(scenario);
    const blocked = await eventually(async () => {
      const found = await config.find();
      expect(found?.status?.conditions).toMatchObject([{ type: 'Terminating', reason: 'InUse' }]);
      return found;
    }, patient);
    expect(blocked?.metadata.finalizers).toEqual(['in-use.crossplane.io']);
    expect((await usageOf(environment.management, mapping))?.metadata.finalizers).toEqual([
      'finalizer.providerconfigusage.crossplane.io',
    ]);
    expect(scenario.mappings()).toHaveLength(1);
    fault.remove();
    await scenario.annotate({ 'crossplane.io/reconcile-requested-at': 'now' });
    await untilNamespaceGone(scenario.namespace);
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('deletes an InstanceMapping whose Secret was deleted before its first reconcile', async () => {
    const raw = environment.instanceMapping({ home: await tenantNamespace(environment) });
    await raw.createReady();
    const fault = raw.hana.fault({}, { kind: 'unavailable' });
    await deleteNamespace(raw.home ?? '');
    await untilCutOff(raw);
    fault.remove();
    await untilNamespaceGone(raw.home ?? '');
    expect(raw.mappings()).toEqual([]);
  });
});

describe('credentials that are gone', () => {
  async function cutOff(): Promise<Scenario> {
    const scenario = await environment.scenario({ scope: 'namespaced' });
    await scenario.createReady();
    await scenario.remove('secret');
    await scenario.delete();
    return scenario;
  }
  const advice =
    'the mapping stays until they are back; to give it up instead, take Delete out of spec.managementPolicies';

  test.concurrent('are waited for while their namespace stays, even if they are cached', async () => {
    const scenario = await cutOff();
    await eventually(async () => expect((await scenario.condition('Synced'))?.message).toContain(advice));
    expect(scenario.hana.writes()).toEqual(['create']);
    const probe = { namespace: scenario.namespace, name: 'provider-kyma-probe' };
    expect(await environment.management.find(configMaps, probe)).toBeUndefined();
    await scenario.apply('secret');
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test('block a namespace where the provider has no record of them; the condition says how to delete namespace and mapping', async () => {
    const scenario = await cutOff();
    await eventually(async () => expect((await scenario.condition('Synced'))?.message).toContain(advice));
    await environment.restartProvider();
    await deleteNamespace(scenario.namespace);
    await scenario.reconcile();
    expect((await scenario.condition('Synced'))?.message).toMatch(
      /not found.*; the namespace is being deleted, so they cannot be created again: take Delete out of spec.managementPolicies, then delete the mapping, which stays, by an InstanceMapping outside of the namespace$/,
    );
    expect(scenario.mappings()).toHaveLength(1);
    await scenario.patch({ spec: { managementPolicies: ['Observe', 'Create', 'Update'] } });
    await untilNamespaceGone(scenario.namespace);
    expect(scenario.mappings()).toHaveLength(1);

    const { instanceID, clusterID: primaryID, namespace: secondaryID } = scenario;
    const raw = environment.instanceMapping({ instanceID, primaryID, secondaryID });
    await raw.createReady();
    await raw.delete();
    await raw.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});
