/**
 * One resource for each way of life that is stored: what a provider finds of the one before it. The name of a resource
 * is that of its namespace, instance and sources, so that whoever has the objects can give them the same surroundings.
 */
import { expect } from '@jest/globals';
import { hanaConfigKinds } from '../../../internal/controllers/config/provider-configs.ts';
import { instanceMappingTypes } from '../../../internal/controllers/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/controllers/inventory/kymainstancemapping/resource.ts';
import type { ObjectMeta } from '../../../internal/kube/object/object.ts';
import { apiVersionOf, namespaces, type ResourceType } from '../../../internal/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/runtime/resource/managed.ts';
import { eventually } from '../../environment/eventually.ts';
import { packageCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import type { StoredObject, StoredState } from '../../upgrade/stored-state.ts';
import { type ManagedObject, managedObject } from '../harness/mappings/managed-object.ts';
import { storedObjects } from './etcd.ts';
import { instanceOf, type Stage } from './upgrade-environment.ts';

const { legacy: clusterKyma, modern: namespacedKyma } = kymaInstanceMappingTypes;
const { legacy: clusterRaw, modern: namespacedRaw } = instanceMappingTypes;

interface MappingOptions {
  /** Default: a cluster-scoped one. */
  readonly namespaced?: boolean;
  readonly spec?: object;
  readonly forProvider?: object;
}

/** Leads all of them to where they are recorded, kills the provider, and returns what is stored then. */
export async function recordLives(stage: Stage): Promise<StoredState> {
  const { plane, simulator } = stage;
  await makeConfigs(stage);
  const provider = await stage.run();
  const settled = await Promise.all([
    settledMapping(stage, 'orders'),
    remoteMapping(stage, 'billing'),
    settledMapping(stage, 'stock', { namespaced: true }),
    settledMapping(stage, 'mail', {
      namespaced: true,
      spec: { providerConfigRef: { kind: 'ProviderConfig', name: 'own' } },
    }),
    settledMapping(stage, 'reports', {
      forProvider: { isDefault: true },
      spec: { providerConfigRef: { name: 'team' } },
    }),
    observedMapping(stage, 'audit'),
    rawMapping(stage, clusterRaw, 'ledger'),
    rawMapping(stage, namespacedRaw, 'vault'),
  ]);
  const archive = await settledMapping(stage, 'archive');
  const leaving = await settledMapping(stage, 'leaving');
  for (const resource of [...settled, archive, leaving]) await resource.untilReady(120_000);

  await archive.annotate({ 'crossplane.io/paused': 'true' });
  await archive.untilReason('Synced', 'ReconcilePaused', 120_000);
  await stage.takeCredentials('leaving');
  await leaving.delete();
  await leaving.untilReason('Synced', 'Waiting', 120_000);
  stage.addInstance('returns');
  await (await applyMapping(stage, 'returns')).untilReason('Synced', 'Waiting', 120_000);
  await untilUsersCounted(stage);
  await loseCreation(stage, 'unsure', () => provider.kill());

  const crds = await packageCrds();
  const instances = simulator.store.instances().toSorted();
  return {
    crds: crds.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
    objects: await storedObjects(plane, crds),
    mappings: Object.fromEntries(instances.map((id) => [id, simulator.store.mappings(id)])),
  };
}

async function makeConfigs({ management }: Stage): Promise<void> {
  const { legacy, modern } = hanaConfigKinds;
  await management.apply(namespaces, namespaceManifest('mail'));
  const make = (type: ResourceType, metadata: ObjectMeta) =>
    management.apply(type, objectOf(type, metadata, { credentials: { source: 'None' } }));
  await make(legacy.config, { name: 'team' });
  await make(modern.clusterConfig, { name: 'default' });
  await make(modern.config, { name: 'own', namespace: 'mail' });
}

const objectOf = (type: ResourceType, metadata: ObjectMeta, spec: unknown): StoredObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata,
  spec,
});

async function applyMapping(
  { management }: Stage,
  name: string,
  { namespaced = false, spec = {}, forProvider = {} }: MappingOptions = {},
): Promise<ManagedObject<Managed>> {
  const type = namespaced ? namespacedKyma : clusterKyma;
  const home = namespaced ? name : undefined;
  const refs = {
    serviceInstanceRef: { name: 'hana', namespace: name },
    adminBindingRef: { name: 'hana-admin', namespace: name },
    clusterIdConfigMapRef: { name: 'cluster-id', namespace: name },
  };
  await management.apply(
    type,
    objectOf(type, namespaced ? { name, namespace: name } : { name }, {
      ...spec,
      forProvider: { ...refs, ...forProvider },
    }),
  );
  return managedObject<Managed>(management, type, name, home);
}

async function settledMapping(stage: Stage, name: string, options?: MappingOptions) {
  stage.addInstance(name);
  await stage.giveSources(name);
  return applyMapping(stage, name, options);
}

async function remoteMapping(stage: Stage, name: string) {
  await stage.giveKubeconfig(name);
  const kymaConnectionRef = { secretRef: { name, namespace: 'default' } };
  return settledMapping(stage, name, { forProvider: { kymaConnectionRef } });
}

/** Of a mapping that somebody else keeps. */
async function observedMapping(stage: Stage, name: string) {
  stage.addInstance(name);
  stage.simulator.store.addMapping(instanceOf(name), {
    platform: 'kubernetes',
    primaryID: `c-${name}`,
    secondaryID: name,
    isDefault: false,
  });
  await stage.giveSources(name);
  return applyMapping(stage, name, { spec: { managementPolicies: ['Observe'] } });
}

async function rawMapping(stage: Stage, type: ResourceType<Managed>, name: string) {
  const namespace = type.namespaced ? name : 'default';
  stage.addInstance(name);
  await stage.giveRawCredentials(name, namespace);
  const adminCredentialsSecretRef = { name, key: 'credentials', ...(type.namespaced ? {} : { namespace }) };
  await stage.management.apply(
    type,
    objectOf(type, type.namespaced ? { name, namespace } : { name }, {
      forProvider: {
        serviceInstanceID: instanceOf(name),
        platform: 'cloudfoundry',
        primaryID: `org-${name}`,
        secondaryID: `space-${name}`,
        adminCredentialsSecretRef,
      },
    }),
  );
  return managedObject<Managed>(stage.management, type, name, type.namespaced ? namespace : undefined);
}

/** HANA Cloud makes the mapping, and nobody is left to hear of it. */
async function loseCreation(stage: Stage, name: string, kill: () => Promise<void>): Promise<void> {
  const lost = stage.simulator.faults.add({
    on: { instance: instanceOf(name), route: 'create' },
    do: { kind: 'hang', when: 'after' },
  });
  await settledMapping(stage, name);
  await eventually(() => expect(lost.hits()).toBe(1), { timeoutMs: 120_000 });
  await kill();
  lost.remove();
}

/** The number of users is written a moment after the usages. */
async function untilUsersCounted({ management }: Stage): Promise<void> {
  const { legacy, modern } = hanaConfigKinds;
  const users = async (type: ResourceType, metadata: ObjectMeta) => {
    const config = await management.get<StoredObject & { status?: { users?: number } }>(type, metadata);
    return config.status?.users;
  };
  await eventually(
    async () => {
      expect(await users(legacy.config, { name: 'team' })).toBe(1);
      expect(await users(modern.config, { name: 'own', namespace: 'mail' })).toBe(1);
      // Those that name none: stock and vault.
      expect(await users(modern.clusterConfig, { name: 'default' })).toBe(2);
    },
    { timeoutMs: 120_000 },
  );
}
