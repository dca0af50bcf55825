import { describe, expect, test } from '@jest/globals';
import { hanaConfigKinds } from '../../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../../environment/eventually.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { tenantNamespace } from '../../harness/tenants.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';
import { type ConfigObject, configObject, createConfig, usageOf } from '../../runtime/config-environment.ts';

const { config: type, clusterConfig, usage: usages } = hanaConfigKinds.namespaced;
const held = 'finalizer.providerconfigusage.crossplane.io';
/** The garbage collector discovers new kinds every half minute only. */
const often = { intervalMs: 50, timeoutMs: 60_000 };

const environment = forFile(startTestEnvironment, withoutViolations);

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

  test.concurrent('outlasts the foreground deletion of its mapping until HANA Cloud has none left', async () => {
    const { scenario, config } = await used(kind);
    await config.untilUsers(1);
    const fault = scenario.hana.fault({}, { kind: 'unavailable' });
    await scenario.delete('Foreground');
    const mapping = await scenario.get();
    await eventually(
      async () =>
        expect((await usageOf(environment.management, mapping))?.metadata.deletionTimestamp).toBeDefined(),
      often,
    );
    await config.delete();
    expect((await config.untilUsers(1)).metadata.finalizers).toEqual(['in-use.crossplane.io']);
    fault.remove();
    await scenario.untilGone(60_000);
    await config.untilGone();
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

test.concurrent('neither is held by the users of the other kind with its name', async () => {
  const { scenario, config } = await used('ClusterProviderConfig');
  const place = { type, usages, namespace: scenario.namespace };
  const namesake = await createConfig(environment.management, place, config.name);
  await config.untilUsers(1);
  await eventually(async () => expect((await namesake.find())?.status?.users).toBe(0));
  await namesake.delete();
  await namesake.untilGone();
});

test.concurrent('the default ClusterProviderConfig need not exist', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  const mapping = await scenario.createReady();
  expect(mapping.spec.providerConfigRef).toEqual({ kind: 'ClusterProviderConfig', name: 'default' });
});

test.concurrent('an unknown kind of configuration is named', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  await scenario.create({ spec: { providerConfigRef: { kind: 'StoreConfig', name: 'default' } } });
  const { message } = await scenario.untilReason('Synced', 'ReconcileError');
  expect(message).toContain('unknown provider config kind: "StoreConfig"');
  await expectRightDiagnosis(environment, scenario);
});
