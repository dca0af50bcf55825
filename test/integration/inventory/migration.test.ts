import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type InstanceMapping,
  instanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  childrenLeftByGo,
  type GoMapping,
  parentLeftByGo,
} from '../../../internal/systems/inventory/kymainstancemapping/migration/left-by-go.fixture.ts';
import { eventually } from '../../environment/eventually.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { managedObject } from '../harness/mappings/managed-object.ts';
import { environmentLabel } from '../harness/mappings/mapping-context.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

const credentialsNamespace = 'crossplane-system';
/** The garbage collector may take half a minute to discover new kinds. */
const collectorMs = 45_000;
const paused = 'crossplane.io/paused';

let environment: TestEnvironment;
beforeAll(async () => {
  // Its provider has a selector, and takes what the Go provider left for another shard's: it waits as long, and a sixth.
  environment = await startTestEnvironment({ flags: { externalTimeout: 6000 } });
  await environment.management.apply(namespaces, namespaceManifest(credentialsNamespace));
});
afterAll(async () => {
  expect(environment.simulator.violations()).toEqual([]);
  await environment.stop();
});

/**
 * All that the Go provider leaves of one KymaInstanceMapping; the resource is paused, so no provider acts on it yet.
 */
async function leftByGo(scenario: Scenario) {
  const { management } = environment;
  const { name, instanceID, clusterID, namespace } = scenario;
  const mapping: GoMapping = {
    serviceInstanceID: instanceID,
    primaryID: clusterID,
    secondaryID: namespace,
  };
  const { metadata, status } = parentLeftByGo(name, mapping, credentialsNamespace);
  await scenario.applySources();
  const annotations = { ...metadata.annotations, [paused]: 'true' };
  const created = await scenario.create({ annotations });
  await scenario.untilReason('Synced', 'ReconcilePaused');
  await scenario.patch({ metadata: { finalizers: metadata.finalizers } });
  await management.applyStatus(kymaInstanceMappings, { ...created, metadata: { name }, status });
  const owner = { name, uid: created.metadata.uid ?? '' };
  const { child, secret } = childrenLeftByGo(owner, mapping, credentialsNamespace);
  await management.apply(secrets, secret);
  await management.apply(instanceMappings, child);
  await management.applyStatus(instanceMappings, { ...child, metadata: { name: child.metadata.name } });
  // Only now our provider reconciles it.
  const labels = { [environmentLabel]: environment.selector.split('=')[1] ?? '' };
  await management.patch(instanceMappings, { name: child.metadata.name }, { metadata: { labels } });
  return {
    child: managedObject<InstanceMapping>(management, instanceMappings, child.metadata.name),
    secretLeft: () =>
      management.find(secrets, { namespace: credentialsNamespace, name: secret.metadata.name }),
  };
}

/** The Go provider left it Ready as well, so only its external name shows when it is migrated. */
const untilOurs = (scenario: Scenario) =>
  eventually(async () => {
    const mapping = await scenario.untilReady();
    expect(mapping.metadata.annotations).toMatchObject({
      'crossplane.io/external-name': scenario.externalName,
    });
    expect(mapping.status?.atProvider).not.toHaveProperty('childResources');
    return mapping;
  });

const resume = (scenario: Scenario) => scenario.annotate({ [paused]: null });

test.concurrent('a KymaInstanceMapping of the Go provider keeps its mapping, untouched, while the child and the copied credentials are deleted', async () => {
  const scenario = await environment.scenario();
  scenario.hana.addMapping();
  const { child, secretLeft } = await leftByGo(scenario);

  await resume(scenario);

  await child.untilGone();
  const mapping = await untilOurs(scenario);
  expect(await secretLeft()).toBeUndefined();
  expect(mapping.status?.atProvider?.hana?.ready).toBe(true);
  expect(scenario.hana.writes()).toEqual([]);
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});

test.concurrent.each(['Background', 'Foreground'] as const)(
  'a KymaInstanceMapping of the Go provider that is deleted before its migration is deleted with all of it, its mapping too: %s',
  async (propagation) => {
    const scenario = await environment.scenario();
    scenario.hana.addMapping();
    const { child, secretLeft } = await leftByGo(scenario);
    await scenario.delete(propagation);

    await resume(scenario);

    await scenario.untilGone(collectorMs);
    await child.untilGone();
    expect(await secretLeft()).toBeUndefined();
    expect(scenario.hana.writes()).toEqual(['delete']);
    expect(scenario.mappings()).toEqual([]);
  },
);

test.concurrent('the child of the Go provider is not acted upon, and reports why', async () => {
  const scenario = await environment.scenario();
  const { child } = await leftByGo(scenario);
  const { message } = await child.untilReason('Synced', 'Conflict');
  expect(message).toBe(
    `KymaInstanceMapping ${scenario.name} keeps the mapping itself: this InstanceMapping is left over from another provider and can be deleted, its mapping stays`,
  );
  expect(await child.condition('Ready')).toMatchObject({ status: 'True' });
  expect(scenario.hana.calls()).toEqual([]);
});

const externalName = 'crossplane.io/external-name';

/** What the Go provider leaves on a resource whose mapping it made: the object's own name, and no identity. */
const markedByGo = ({ name }: Scenario) => ({
  [externalName]: name,
  'crossplane.io/external-create-pending': '2024-01-01T00:00:00Z',
  'crossplane.io/external-create-succeeded': '2024-01-01T00:00:01Z',
});

describe('a mapping that exists already', () => {
  test.concurrent.each([
    { title: 'is adopted without an external name', annotations: () => ({}) },
    {
      title: 'is imported by its external name',
      annotations: ({ externalName: name }: Scenario) => ({ [externalName]: name }),
    },
    { title: 'is a migration from the Go provider', annotations: markedByGo },
  ])('$title', async ({ annotations }) => {
    const scenario = await environment.scenario();
    scenario.hana.addMapping();

    const mapping = await scenario.createReady({ annotations: annotations(scenario) });

    expect(scenario.hana.writes()).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(mapping.metadata.annotations?.[externalName]).toBe(scenario.externalName);
    expect(mapping.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(mapping.status?.atProvider?.hana?.ready).toBe(true);
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});
