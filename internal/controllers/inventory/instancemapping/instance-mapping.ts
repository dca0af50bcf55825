/**
 * InstanceMapping is the raw form of a mapping: the spec names instance, platform and place by their IDs, for
 * Kubernetes, Cloud Foundry and subaccounts alike, and the Secret with the credentials.
 *
 * It exists for the whole cluster and, as a twin in a group of its own, in a namespace; resource.ts knows both.
 *
 * - connector.ts reads the credentials and opens HANA Cloud
 * - spec-identity.ts and external-names.ts say which mapping that is, status.ts what is recorded of it
 *
 * How a mapping is kept stands in ../mapping.
 */
import type { HanaCloud } from '../../../clients/hana-cloud/client.ts';
import { groupResource, type ResourceType } from '../../../kube/object/resource-type.ts';
import type { ManagedKind } from '../../../runtime/index.ts';
import type { InputCluster } from '../input/read-input.ts';
import { createHanaHosts } from '../mapping/access/hana-hosts.ts';
import { createLastAccess } from '../mapping/access/last-access.ts';
import type { VisibilityRecords } from '../mapping/access/visibility-records.ts';
import type { MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import { pollGroupOf } from '../mapping/poll-group.ts';
import { noteFailure } from '../mapping/ready.ts';
import { credentialsLocation } from './admin-credentials.ts';
import { createConnector } from './connector.ts';
import type { InstanceMapping } from './resource.ts';
import { mappingKind } from './status.ts';

export interface InstanceMappingOptions {
  /** One of `instanceMappingTypes`. */
  readonly type: ResourceType<InstanceMapping>;
  /** Where the provider's own client points. */
  readonly cluster: InputCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly visibility: VisibilityRecords;
}

export function instanceMappingKind({
  type,
  cluster,
  hanaCloud,
  claims: index,
  visibility,
}: InstanceMappingOptions): ManagedKind<InstanceMapping> {
  const claims = index.of(mappingKind);
  const hosts = createHanaHosts(hanaCloud);
  const lastAccess = createLastAccess({ client: cluster.client, hanaCloud });
  return {
    type,
    connector: createConnector({ cluster, hanaCloud, claims, visibility, hosts, lastAccess }),
    connectFailed: (resource, error, ctx) => noteFailure(mappingKind, resource, error, 'connect', ctx),
    limitKeysOf: (resource) => hosts.limitKeysOf(credentialsLocation(resource)),
    pollGroupOf: (resource) => pollGroupOf(mappingKind, resource),
    sources: (cache) => [claims.source(cache, groupResource(type))],
    deterministicExternalName: true,
    observeAfterCreate: true,
    observeAfterDelete: true,
    // HANA Cloud lists a mapping as soon as it has answered that it made it.
    creationGracePeriodMs: 0,
    // The external name is the mapping's identity, never the object's own name.
    initializers: [],
  };
}
