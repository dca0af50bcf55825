import type { KubeClient } from '../../framework/kube/client/client.ts';
import type { ResourceType } from '../../framework/kube/object/resource-type.ts';
import type { ConfigKinds, Managed, ManagedKind } from '../../framework/managed/index.ts';
import type {
  LoadedModule,
  ModuleContext,
  ModuleKind,
  OpenKind,
  OpenModule,
} from '../../framework/module/module.ts';
import { hanaConfigKinds } from './config/provider-configs.ts';
import type { InventoryFlags } from './connections/flags.ts';
import { openInventoryConnections } from './connections/inventory-connections.ts';
import type { HanaCloud } from './hana-cloud/client.ts';
import type { InputCluster } from './input/read-input.ts';
import { diagnoseInstanceMapping } from './instancemapping/diagnosis/diagnose.ts';
import { instanceMappingKind } from './instancemapping/instance-mapping.ts';
import { instanceMappingTypes } from './instancemapping/resource.ts';
import { diagnose } from './kymainstancemapping/diagnosis/diagnose.ts';
import type { KymaClusters } from './kymainstancemapping/inputs/kyma-cluster.ts';
import { kymaInstanceMappingKind } from './kymainstancemapping/kyma-instance-mapping.ts';
import { kymaInstanceMappingTypes } from './kymainstancemapping/resource.ts';
import { createVisibilityRecords, type VisibilityRecords } from './mapping/access/visibility-records.ts';
import { createMappingClaims, type MappingClaimsIndex } from './mapping/claims/mapping-claims.ts';
import { inventoryRights } from './rights.ts';

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
