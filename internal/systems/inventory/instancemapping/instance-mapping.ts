/**
 * InstanceMapping manages a mapping whose IDs are in the spec: of the instance, and of a Kyma cluster, Cloud Foundry
 * organization or subaccount. The spec also refers to the Secret with the credentials. The kind exists with cluster
 * scope and with namespace scope (resource.ts).
 *
 * - connector.ts: reads the credentials and opens the client of HANA Cloud
 * - spec-identity.ts, external-names.ts: the identity of the mapping
 * - status.ts: what is recorded of the mapping
 *
 * ../mapping has what is common to both kinds of mappings.
 */

import { createKnownHosts } from '../../../framework/http/index.ts';
import { groupResource, type ResourceType } from '../../../framework/kube/index.ts';

import { createLastAccess, type ManagedKind, shareOfNamespace } from '../../../framework/managed/index.ts';
import type { HanaCloud } from '../hana-cloud/client.ts';
import type { InputCluster } from '../input/read-input.ts';
import type { MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import { noteFailure, pollGroupOf } from '../mapping/mapping-kind.ts';
import type { VisibilityRecords } from '../mapping/visibility-records.ts';
import { secretLocation } from './admin-credentials.ts';
import { createRawConnector } from './connector.ts';
import type { InstanceMapping } from './resource.ts';
import { rawMappingKind } from './status.ts';

export interface InstanceMappingOptions {
  /** One of `instanceMappingTypes`. */
  readonly type: ResourceType<InstanceMapping>;
  /** The management cluster. */
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
  const claims = index.of(rawMappingKind);
  const hosts = createKnownHosts(hanaCloud);
  const lastAccess = createLastAccess({ client: cluster.client, resume: hanaCloud.resume });
  return {
    type,
    connector: createRawConnector({ cluster, hanaCloud, claims, visibility, hosts, lastAccess }),
    connectFailed: (resource, error, ctx) => noteFailure(rawMappingKind, resource, error, 'connect', ctx),
    limitKeysOf: (resource) => [
      ...shareOfNamespace(resource),
      ...hosts.limitKeysOf(secretLocation(resource)),
    ],
    pollGroupOf: (resource) => pollGroupOf(rawMappingKind, resource),
    sources: (cache) => [claims.source(cache, groupResource(type))],
    deterministicExternalName: true,
    observeAfterCreate: true,
    observeAfterDelete: true,
    // HANA Cloud lists a mapping once the create request has returned.
    creationGracePeriodMs: 0,
    // The external name is the mapping's identity, not metadata.name.
    initializers: [],
  };
}
