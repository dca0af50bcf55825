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
import { expectRightDiagnosis } from '../harness/diagnosis.ts';
import { managedObject } from '../harness/mappings/managed-object.ts';
import { environmentLabel } from '../harness/mappings/mapping-context.ts';
import type { CreateOptions, Scenario } from '../harness/mappings/scenario.ts';
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
async function leftByGo(
  scenario: Scenario,
  { withNamespace = true, ...options }: CreateOptions & { readonly withNamespace?: boolean } = {},
) {
  const { management } = environment;
  const { name, instanceID, clusterID, namespace } = scenario;
  const mapping: GoMapping = {
    serviceInstanceID: instanceID,
    primaryID: clusterID,
    ...(withNamespace ? { secondaryID: namespace } : {}),
  };
  const { metadata, status } = parentLeftByGo(name, mapping, credentialsNamespace);
  await scenario.applySources();
  const annotations = { ...metadata.annotations, [paused]: 'true' };
  const created = await scenario.create({ ...options, annotations });
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

test.concurrent('a KymaInstanceMapping of the Go provider gets the namespace that the Go provider promised and left out; the mapping without one does not stay', async () => {
  const scenario = await environment.scenario();
  const { secondaryID: _, ...whole } = scenario.hana.mapping();
  environment.simulator.store.addMapping(scenario.instanceID, whole);
  const { child } = await leftByGo(scenario, { withNamespace: false });

  await resume(scenario);

  await child.untilGone();
  await untilOurs(scenario);
  expect(scenario.hana.writes()).toEqual(['delete', 'create']);
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

test.concurrent('a KymaInstanceMapping of the Go provider that is set to orphan leaves its mapping, after any deletion of the child', async () => {
  const scenario = await environment.scenario();
  scenario.hana.addMapping();
  const { child } = await leftByGo(scenario, { spec: { deletionPolicy: 'Orphan' } });
  await scenario.delete();
  await resume(scenario);
  await scenario.untilGone();
  await child.untilGone(collectorMs);
  expect(scenario.hana.calls()).toEqual([]);
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});

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

test.concurrent('an InstanceMapping without an owner stays, whatever its name', async () => {
  const scenario = await environment.scenario();
  const { child } = await leftByGo(scenario);
  await child.patch({ metadata: { ownerReferences: null } });
  await child.annotate({ [paused]: 'true' });
  await resume(scenario);
  await eventually(async () =>
    expect(await scenario.condition('Synced')).not.toMatchObject({ reason: 'ReconcilePaused' }),
  );
  expect(await child.get()).toMatchObject({ metadata: { finalizers: [expect.any(String)] } });
  expect((await child.get()).metadata.deletionTimestamp).toBeUndefined();
});

const externalName = 'crossplane.io/external-name';

/** What the Go provider leaves on a resource whose mapping it made: the object's own name, and no identity. */
const markedByGo = ({ name }: Scenario) => ({
  [externalName]: name,
  'crossplane.io/external-create-pending': '2024-01-01T00:00:00Z',
  'crossplane.io/external-create-succeeded': '2024-01-01T00:00:01Z',
});

/** Another mapping of the same instance, which only the external name refers to. */
function foreignMapping(scenario: Scenario): { readonly primaryID: string; readonly name: string } {
  const primaryID = `other-${scenario.clusterID}`;
  scenario.hana.addMapping({ primaryID });
  return { primaryID, name: `${scenario.instanceID}/${primaryID}/${scenario.namespace}` };
}

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

  test.concurrent.each(['', 'name'])(
    'of a Composition that sets the external name again (%j) stays Synced, and is deleted',
    async (habit) => {
      const scenario = await environment.scenario();
      await scenario.createReady();
      const value = habit === 'name' ? scenario.name : habit;
      for (let time = 0; time < 3; time++) {
        await scenario.annotate({ [externalName]: value });
        await scenario.reconcile();
        expect((await scenario.get()).metadata.annotations?.[externalName]).toBe(value);
      }
      expect(await scenario.condition('Synced')).toMatchObject({ status: 'True' });
      expect(scenario.hana.writes()).toEqual(['create']);
      await scenario.delete();
      await scenario.untilGone();
      expect(scenario.mappings()).toEqual([]);
    },
  );
});

describe('an external name that names another mapping', () => {
  test.concurrent('is an error that shows both, and nothing is made or deleted, until it is corrected', async () => {
    const scenario = await environment.scenario();
    const other = foreignMapping(scenario);
    await scenario.applySources();
    await scenario.create({ annotations: { [externalName]: other.name } });

    const synced = await scenario.untilReason('Synced', 'ReconcileError');

    expect(synced.message).toContain(JSON.stringify(other.name));
    expect(synced.message).toContain(JSON.stringify(scenario.externalName));
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    await scenario.untilEvent('CannotObserveExternalResource');
    expect(scenario.hana.calls()).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ primaryID: other.primaryID })]);
    await expectRightDiagnosis(environment, scenario);

    await scenario.annotate({ [externalName]: scenario.externalName });
    await scenario.untilReady();
    expect(scenario.hana.writes()).toEqual(['create']);
    expect(scenario.mappings()).toHaveLength(2);
  });
});
