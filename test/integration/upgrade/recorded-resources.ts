/**
 * One resource for each state that is stored: what a provider finds of its predecessor. The name of a resource is that
 * of its namespace, instance and sources, so that a test that has the objects can recreate these.
 */
import { expect } from '@jest/globals';
import type { ObjectMeta } from '../../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  namespaces,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { instanceMappingTypes } from '../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { packageCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import type { StoredObject, StoredState } from '../../upgrade/stored-state.ts';
import { type ManagedObject, managedObject } from '../harness/mappings/managed-object.ts';
import { storedObjects } from './etcd.ts';
import { instanceOf, type UpgradeEnvironment } from './upgrade-environment.ts';

const { cluster: clusterKyma, namespaced: namespacedKyma } = kymaInstanceMappingTypes;
const { cluster: clusterRaw, namespaced: namespacedRaw } = instanceMappingTypes;

interface MappingOptions {
  /** Default: a cluster-scoped one. */
  readonly namespaced?: boolean;
  readonly spec?: object;
  readonly forProvider?: object;
}

/** Leads all of them to where they are recorded, kills the provider, and returns what is stored then. */
export async function recordResources(environment: UpgradeEnvironment): Promise<StoredState> {
  const { plane, simulator } = environment;
  await makeConfigs(environment);
  const provider = await environment.run();
  const settled = await Promise.all([
    settledMapping(environment, 'orders'),
    remoteMapping(environment, 'billing'),
    settledMapping(environment, 'stock', { namespaced: true }),
    settledMapping(environment, 'mail', {
      namespaced: true,
      spec: { providerConfigRef: { kind: 'ProviderConfig', name: 'own' } },
    }),
    settledMapping(environment, 'reports', {
      forProvider: { isDefault: true },
      spec: { providerConfigRef: { name: 'team' } },
    }),
    observedMapping(environment, 'audit'),
    rawMapping(environment, clusterRaw, 'ledger'),
    rawMapping(environment, namespacedRaw, 'vault'),
  ]);
  const archive = await settledMapping(environment, 'archive');
  const leaving = await settledMapping(environment, 'leaving');
  for (const resource of [...settled, archive, leaving]) await resource.untilReady(120_000);

  await archive.annotate({ 'crossplane.io/paused': 'true' });
  await archive.untilReason('Synced', 'ReconcilePaused', 120_000);
  await environment.takeCredentials('leaving');
  await leaving.delete();
  await leaving.untilReason('Synced', 'Waiting', 120_000);
  environment.addInstance('returns');
  await (await applyMapping(environment, 'returns')).untilReason('Synced', 'Waiting', 120_000);
  await untilUsersCounted(environment);
  await loseCreation(environment, 'unsure', () => provider.kill());

  const crds = await packageCrds();
  const instances = simulator.store.instances().toSorted();
  return {
    crds: crds.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
    objects: await storedObjects(plane, crds),
    mappings: Object.fromEntries(instances.map((id) => [id, simulator.store.mappings(id)])),
  };
}

async function makeConfigs({ management }: UpgradeEnvironment): Promise<void> {
  const { cluster, namespaced } = hanaConfigKinds;
  await management.apply(namespaces, namespaceManifest('mail'));
  const make = (type: ResourceType, metadata: ObjectMeta) =>
    management.apply(type, objectOf(type, metadata, { credentials: { source: 'None' } }));
  await make(cluster.config, { name: 'team' });
  await make(namespaced.clusterConfig, { name: 'default' });
  await make(namespaced.config, { name: 'own', namespace: 'mail' });
}

const objectOf = (type: ResourceType, metadata: ObjectMeta, spec: unknown): StoredObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata,
  spec,
});

async function applyMapping(
  { management }: UpgradeEnvironment,
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

async function settledMapping(environment: UpgradeEnvironment, name: string, options?: MappingOptions) {
  environment.addInstance(name);
  await environment.giveSources(name);
  return applyMapping(environment, name, options);
}

async function remoteMapping(environment: UpgradeEnvironment, name: string) {
  await environment.giveKubeconfig(name);
  const kymaConnectionRef = { secretRef: { name, namespace: 'default' } };
  return settledMapping(environment, name, { forProvider: { kymaConnectionRef } });
}

/** Of a mapping that a third party manages. */
async function observedMapping(environment: UpgradeEnvironment, name: string) {
  environment.addInstance(name);
  environment.simulator.store.addMapping(instanceOf(name), {
    platform: 'kubernetes',
    primaryID: `c-${name}`,
    secondaryID: name,
    isDefault: false,
  });
  await environment.giveSources(name);
  return applyMapping(environment, name, { spec: { managementPolicies: ['Observe'] } });
}

async function rawMapping(environment: UpgradeEnvironment, type: ResourceType<Managed>, name: string) {
  const namespace = type.namespaced ? name : 'default';
  environment.addInstance(name);
  await environment.giveRawCredentials(name, namespace);
  const adminCredentialsSecretRef = { name, key: 'credentials', ...(type.namespaced ? {} : { namespace }) };
  await environment.management.apply(
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
  return managedObject<Managed>(environment.management, type, name, type.namespaced ? namespace : undefined);
}

/** HANA Cloud creates the mapping, and the provider is killed before the response. */
async function loseCreation(
  environment: UpgradeEnvironment,
  name: string,
  kill: () => Promise<void>,
): Promise<void> {
  const lost = environment.simulator.faults.add({
    on: { instance: instanceOf(name), route: 'create' },
    do: { kind: 'hang', when: 'after' },
  });
  await settledMapping(environment, name);
  await eventually(() => expect(lost.hits()).toBe(1), { timeoutMs: 120_000 });
  await kill();
  lost.remove();
}

/** The number of users is written shortly after the usages. */
async function untilUsersCounted({ management }: UpgradeEnvironment): Promise<void> {
  const { cluster, namespaced } = hanaConfigKinds;
  const users = async (type: ResourceType, metadata: ObjectMeta) => {
    const config = await management.get<StoredObject & { status?: { users?: number } }>(type, metadata);
    return config.status?.users;
  };
  await eventually(
    async () => {
      expect(await users(cluster.config, { name: 'team' })).toBe(1);
      expect(await users(namespaced.config, { name: 'own', namespace: 'mail' })).toBe(1);
      // Those that name none: stock and vault.
      expect(await users(namespaced.clusterConfig, { name: 'default' })).toBe(2);
    },
    { timeoutMs: 120_000 },
  );
}
