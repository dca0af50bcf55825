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
