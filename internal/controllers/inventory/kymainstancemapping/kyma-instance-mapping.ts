/**
 * KymaInstanceMapping keeps a mapping of a HANA Cloud instance to a namespace of a Kyma cluster. What the mapping
 * call needs lies in four objects that others own, perhaps on another cluster; they are read on every reconcile.
 *
 * - connector.ts reads the sources and opens HANA Cloud; sources.ts says what is missing
 * - described-identity.ts and external-names.ts say which mapping that is, status.ts what is recorded of it
 * - diagnose.ts is what `doctor` shows
 *
 * How a mapping is kept stands in ../mapping.
 */
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { HanaCloud } from '../../../clients/hana-cloud/client.ts';
import type { ManagedKind } from '../../../runtime/managed/managed-kind.ts';
import { createHanaHosts } from '../mapping/hana-hosts.ts';
import type { MappingClaimsIndex } from '../mapping/mapping-claims.ts';
import { noteFailure } from '../mapping/ready.ts';
import type { Sightings } from '../mapping/sightings.ts';
import { createConnector } from './connector.ts';
import type { KymaClusters } from './kyma-cluster.ts';
import { lanesOf } from './lanes.ts';
import { mappingKind } from './status.ts';

export interface KymaInstanceMappingOptions {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly sightings: Sightings;
}

export function kymaInstanceMappingKind({
  clusters,
  hanaCloud,
  claims: index,
  sightings,
}: KymaInstanceMappingOptions): ManagedKind<KymaInstanceMapping> {
  const claims = index.of(mappingKind);
  const hosts = createHanaHosts();
  return {
    type: kymaInstanceMappings,
    connector: createConnector({ clusters, hanaCloud, claims, sightings, hosts }),
    connectFailed: (resource, error, ctx) => noteFailure(mappingKind, resource, error, 'connect', ctx),
    lanesOf: (resource) => lanesOf(resource, hosts),
    sources: (cache) => [claims.source(cache)],
    deterministicExternalName: true,
    observeAfterCreate: true,
    // HANA Cloud lists a mapping as soon as it has answered that it made it.
    creationGracePeriodMs: 0,
    // The external name is the mapping's identity, never the object's own name.
    initializers: [],
  };
}
