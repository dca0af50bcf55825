/**
 * KymaInstanceMapping manages the mapping of a HANA Cloud instance to a namespace of a Kyma cluster. The IDs and the
 * credentials are in four input objects, on the management cluster or a remote one, and are read on every reconcile.
 * The kind exists with cluster scope and with namespace scope (resource.ts).
 *
 * - inputs: references to the input objects, and what is read from them
 * - connector.ts: reads the input objects and opens the client of HANA Cloud
 * - external-names.ts, status.ts: what is recorded of the mapping
 * - migration: removes what SAP's Go provider left
 * - diagnosis: the report of `doctor`
 *
 * ../mapping has what is common to both kinds of mappings.
 */

import { createKnownHosts } from '../../../framework/http/index.ts';
import { groupResource, type ResourceType } from '../../../framework/kube/index.ts';

import { createLastAccess, type ManagedKind } from '../../../framework/managed/index.ts';
import type { HanaCloud } from '../hana-cloud/client.ts';
import type { MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import { noteFailure, pollGroupOf } from '../mapping/mapping-kind.ts';
import type { VisibilityRecords } from '../mapping/visibility-records.ts';
import { createKymaConnector, kymaLimitKeysOf } from './connector.ts';
import { createKnownInputs } from './inputs/known-inputs.ts';
import type { KymaClusters } from './inputs/kyma-cluster.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { kymaMappingKind } from './status.ts';

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
  const claims = index.of(kymaMappingKind);
  const hosts = createKnownHosts(hanaCloud);
  const lastAccess = createLastAccess({ client: clusters.own.client, resume: hanaCloud.resume });
  return {
    type,
    connector: createKymaConnector({
      clusters,
      hanaCloud,
      claims,
      visibility,
      hosts,
      lastAccess,
      knownInputs: createKnownInputs(),
    }),
    connectFailed: (resource, error, ctx) => noteFailure(kymaMappingKind, resource, error, 'connect', ctx),
    limitKeysOf: (resource) => kymaLimitKeysOf(resource, hosts),
    pollGroupOf: (resource) => pollGroupOf(kymaMappingKind, resource),
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
