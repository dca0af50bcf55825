import type { HanaCloud } from '../clients/hana-cloud/client.ts';
import type { KymaClusters } from '../controllers/inventory/kymainstancemapping/kyma-cluster.ts';
import type { MappingClaimsIndex } from '../controllers/inventory/mapping/mapping-claims.ts';
import type { Sightings } from '../controllers/inventory/mapping/sightings.ts';
import type { SourceCluster } from '../controllers/inventory/source/read-source.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { ManagedKind } from '../runtime/managed/kind/managed-kind.ts';
import type { ConfigKinds } from '../runtime/providerconfig/provider-config.ts';
import type { Managed } from '../runtime/resource/managed.ts';

/** What kinds are made of, one of each for the whole process. */
export interface KindParts {
  readonly clusters: KymaClusters;
  /** Where the provider's own client points. */
  readonly cluster: SourceCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly sightings: Sightings;
}

/** A kind of managed resources that the provider works on. */
export interface ManagedKindEntry {
  readonly type: ResourceType;
  /** Those that its resources refer to. */
  readonly configs: ConfigKinds;
  /** Makes the kind and hands it over, with its resources' own type. */
  with<T>(parts: KindParts, use: <R extends Managed>(kind: ManagedKind<R>) => T): T;
}

export function managed<R extends Managed>(
  type: ResourceType,
  configs: ConfigKinds,
  create: (parts: KindParts & { readonly type: ResourceType }) => ManagedKind<R>,
): ManagedKindEntry {
  return { type, configs, with: (parts, use) => use(create({ ...parts, type })) };
}
