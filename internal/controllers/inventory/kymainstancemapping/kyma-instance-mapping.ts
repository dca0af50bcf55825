/**
 * KymaInstanceMapping keeps a mapping of a HANA Cloud instance to a namespace of a Kyma cluster. What the mapping
 * call needs lies in four objects that others own, perhaps on another cluster; they are read on every reconcile.
 *
 * It exists for the whole cluster and, as a twin in a group of its own, in a namespace; resource.ts knows both.
 *
 * - connector.ts reads the sources and opens HANA Cloud; inputs/input-refs.ts says where they lie and may lie, inputs/inputs.ts what
 *   is missing
 * - described-identity.ts and external-names.ts say which mapping that is, status.ts what is recorded of it
 * - diagnose.ts is what `doctor` shows
 *
 * How a mapping is kept stands in ../mapping.
 */
import type { HanaCloud } from '../../../clients/hana-cloud/client.ts';
import { groupResource, type ResourceType } from '../../../kube/object/resource-type.ts';
import type { ManagedKind } from '../../../runtime/index.ts';
import { createHanaHosts } from '../mapping/access/hana-hosts.ts';
import { createLastAccess } from '../mapping/access/last-access.ts';
import type { VisibilityRecords } from '../mapping/access/visibility-records.ts';
import type { MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import { pollGroupOf } from '../mapping/poll-group.ts';
import { noteFailure } from '../mapping/ready.ts';
import { createConnector } from './connector.ts';
import type { KymaClusters } from './inputs/kyma-cluster.ts';
import { limitKeysOf } from './limit-keys.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { mappingKind } from './status.ts';

export interface KymaInstanceMappingOptions {
  /** One of `kymaInstanceMappingTypes`. */
  readonly type: ResourceType<KymaInstanceMapping>;
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly visibility: VisibilityRecords;
}

export function kymaInstanceMappingKind({
  type,
  clusters,
  hanaCloud,
  claims: index,
  visibility,
}: KymaInstanceMappingOptions): ManagedKind<KymaInstanceMapping> {
  const claims = index.of(mappingKind);
  const hosts = createHanaHosts(hanaCloud);
  const lastAccess = createLastAccess({ client: clusters.own.client, hanaCloud });
  return {
    type,
    connector: createConnector({ clusters, hanaCloud, claims, visibility, hosts, lastAccess }),
    connectFailed: (resource, error, ctx) => noteFailure(mappingKind, resource, error, 'connect', ctx),
    limitKeysOf: (resource) => limitKeysOf(resource, hosts),
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
