import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { configMaps, type KubeClient, type ResourceType, secrets } from '../../framework/kube/index.ts';
import type { ConfigKinds, Managed, ManagedKind } from '../../framework/managed/index.ts';
import type {
  LoadedModule,
  ModuleContext,
  ModuleKind,
  OpenKind,
  OpenModule,
} from '../../framework/module/module.ts';
import { type Purpose, type RequiredRight, rightsFor } from '../../framework/module/right.ts';
import { hanaConfigKinds } from './config/provider-configs.ts';
import type { InventoryFlags } from './flags.ts';
import type { HanaCloud } from './hana-cloud/client.ts';
import type { InputCluster } from './input/read-input.ts';
import { diagnoseInstanceMapping } from './instancemapping/diagnosis/diagnose.ts';
import { instanceMappingKind } from './instancemapping/instance-mapping.ts';
import { instanceMappingTypes } from './instancemapping/resource.ts';
import { openInventoryConnections } from './inventory-connections.ts';
import { diagnose } from './kymainstancemapping/diagnosis/diagnose.ts';
import { serviceBindings, serviceInstances } from './kymainstancemapping/inputs/inputs.ts';
import type { KymaClusters } from './kymainstancemapping/inputs/kyma-cluster.ts';
import { kymaInstanceMappingKind } from './kymainstancemapping/kyma-instance-mapping.ts';
import { kymaInstanceMappingTypes } from './kymainstancemapping/resource.ts';
import { createMappingClaims, type MappingClaimsIndex } from './mapping/claims/mapping-claims.ts';
import { createVisibilityRecords, type VisibilityRecords } from './mapping/visibility-records.ts';

/** Shared by all kinds. */
interface KindParts {
  readonly clusters: KymaClusters;
  /** The management cluster. */
  readonly cluster: InputCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly visibility: VisibilityRecords;
}

interface MappingKindEntry extends ModuleKind {
  with<T>(parts: KindParts, use: <R extends Managed>(kind: ManagedKind<R>) => T): T;
}

/** Mappings do not read their provider configuration, but a usage protects it from deletion. */
const entryOf = <R extends Managed>(
  type: ResourceType<R>,
  configs: ConfigKinds,
  create: (parts: KindParts & { readonly type: ResourceType<R> }) => ManagedKind<R>,
): MappingKindEntry => ({
  type,
  configs,
  readsConfig: false,
  with: (parts, use) => use(create({ ...parts, type })),
});

const entries: readonly MappingKindEntry[] = [
  entryOf(kymaInstanceMappingTypes.cluster, hanaConfigKinds.cluster, kymaInstanceMappingKind),
  entryOf(kymaInstanceMappingTypes.namespaced, hanaConfigKinds.namespaced, kymaInstanceMappingKind),
  entryOf(instanceMappingTypes.cluster, hanaConfigKinds.cluster, instanceMappingKind),
  entryOf(instanceMappingTypes.namespaced, hanaConfigKinds.namespaced, instanceMappingKind),
];

export const inventory: LoadedModule<InventoryFlags> = {
  configs: [],
  kinds: entries,
  rights: () => inventoryRights,
  open: openInventory,
};

function openInventory(context: ModuleContext<InventoryFlags>): OpenModule {
  const { clusters, hanaCloud, close } = openInventoryConnections(context);
  const shared = {
    hanaCloud,
    claims: createMappingClaims(context.deps),
    visibility: createVisibilityRecords(),
  };
  const partsOn = (client: KubeClient): KindParts => {
    const cluster = { ...clusters.own, client };
    return { ...shared, cluster, clusters: { ...clusters, own: cluster } };
  };
  const kinds = entries.map(
    (entry): OpenKind => ({ ...entry, with: (client, use) => entry.with(partsOn(client), use) }),
  );
  return {
    kinds,
    register: (provider) => {
      for (const { configs: configKinds, readsConfig, with: make } of kinds) {
        const configs = provider.addConfigs(configKinds);
        make(context.client, (kind) => provider.addKind(kind, { configs, readsConfig }));
      }
    },
    diagnose: (question) =>
      question.kind === 'instancemapping'
        ? diagnoseInstanceMapping({ cluster: clusters.own, hanaCloud, ...question })
        : diagnose({ clusters, hanaCloud, ...question }),
    close,
  };
}

const kubeconfigs: Purpose = {
  name: 'kubeconfigs',
  neededFor: 'kubeconfigs of kymaConnectionRef; admin credentials of InstanceMappings',
};
const localSources: Purpose = {
  name: 'local-sources',
  neededFor: 'input objects on this cluster: KymaInstanceMappings without kymaConnectionRef',
  otherwise: 'mappings with a kymaConnectionRef work',
};
const namespaceDeletion: Purpose = {
  name: 'namespace-deletion',
  neededFor: 'deleting mappings together with their namespace',
  otherwise: 'the deletion waits if input objects were deleted before their mapping',
};
const migration: Purpose = {
  name: 'take-over',
  neededFor: "migration from SAP's Go provider",
  otherwise: 'the leftovers of the Go provider stay, without effect',
};

const inventoryRights: readonly RequiredRight[] = [
  ...rightsFor(kubeconfigs, secrets, ['get', 'watch']),
  ...rightsFor(localSources, configMaps, ['get', 'watch']),
  ...rightsFor(localSources, serviceInstances, ['get', 'watch']),
  ...rightsFor(localSources, serviceBindings, ['get', 'watch']),
  // A dry-run create shows whether the namespace is being deleted.
  ...rightsFor(namespaceDeletion, configMaps, ['create']),
  ...rightsFor(migration, kymaInstanceMappingTypes.cluster, ['patch'], 'status'),
  ...rightsFor(migration, instanceMappings, ['delete']),
  ...rightsFor(migration, secrets, ['delete']),
];
