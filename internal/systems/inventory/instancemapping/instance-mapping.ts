/**
 * InstanceMapping manages a mapping whose IDs are in the spec: of the instance, and of a Kyma cluster, Cloud Foundry
 * organization or subaccount. The spec also refers to the Secret with the credentials. The kind exists with cluster
 * scope and with namespace scope (resource.ts).
 *
 * - status.ts: the identity of the mapping, and what is recorded of it
 *
 * ../mapping has what is common to both kinds of mappings.
 */

import { ProviderError, type WatchedObject } from '../../../framework/base/index.ts';
import { createKnownHosts, type KnownHosts } from '../../../framework/http/index.ts';
import { groupResource, type ResourceType, wasDeleted } from '../../../framework/kube/index.ts';
import {
  type Connector,
  createLastAccess,
  type ExternalClient,
  type LastAccess,
  type ManagedKind,
  type ReconcileContext,
  shareOfNamespace,
} from '../../../framework/managed/index.ts';
import type { HanaCloud, HanaCloudClient, RememberedAccess } from '../hana-cloud/client.ts';
import { withAdvice } from '../input/connection-problem.ts';
import type { InputCluster } from '../input/read-input.ts';
import type { MappingClaims, MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import { createMappingClient, nothingToDelete } from '../mapping/mapping-client.ts';
import { identityToDelete, kymaParentOf } from '../mapping/mapping-identity.ts';
import { noteFailure, pollGroupOf } from '../mapping/mapping-kind.ts';
import { adviceOnNamespace, adviceToOrphan, childOfKyma } from '../mapping/messages.ts';
import type { VisibilityRecords } from '../mapping/visibility-records.ts';
import { adminCredentialsRef, readAdminCredentials, secretLocation } from './admin-credentials.ts';
import type { InstanceMapping } from './resource.ts';
import { rawMappingKind, specIdentity } from './status.ts';

interface InstanceMappingOptions {
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

interface RawConnectorOptions {
  /** The management cluster, which has the Secrets. */
  readonly cluster: InputCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<InstanceMapping>;
  readonly visibility: VisibilityRecords;
  readonly hosts: KnownHosts;
  readonly lastAccess: LastAccess<RememberedAccess, HanaCloudClient>;
}

type Client = ExternalClient<InstanceMapping>;

/**
 * Connect of InstanceMapping: reads the credentials and opens a client of the HANA Cloud API for one reconcile. They
 * are read on every reconcile and not kept.
 */
function createRawConnector(options: RawConnectorOptions): Connector<InstanceMapping> {
  return {
    connect: async (resource, ctx) => {
      if (wasDeleted(resource)) return connectToDelete(options, resource, ctx);
      const parent = kymaParentOf(resource);
      if (parent !== undefined) throw new ProviderError('contested', childOfKyma(parent.name));
      return open(options, resource, ctx);
    },
  };
}

async function open(
  options: RawConnectorOptions,
  resource: InstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const ref = adminCredentialsRef(resource);
  const { credentials, target } = await readAdminCredentials(options.cluster, ref, ctx.signal);
  const hana = options.hanaCloud.connect(credentials, ctx.reserve);
  options.hosts.note(secretLocation(resource), hana.hosts);
  options.lastAccess.note(resource, hana.access);
  return clientWith(options, resource, hana, [target]);
}

function clientWith(
  { claims, visibility }: RawConnectorOptions,
  resource: InstanceMapping,
  hana: HanaCloudClient,
  access: readonly WatchedObject[],
): Client {
  const described = specIdentity(resource);
  return createMappingClient({ kind: rawMappingKind, claims, visibility, hana, described, access });
}

async function connectToDelete(
  options: RawConnectorOptions,
  resource: InstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  if (kymaParentOf(resource) !== undefined) return nothingToDelete;
  // Throws before any deletion if the external name was changed to that of another mapping.
  const recorded = identityToDelete(rawMappingKind.recordsOf(resource));
  if (recorded !== undefined && options.claims.isTakenOver(resource, recorded)) return nothingToDelete;
  try {
    return await open(options, resource, ctx);
  } catch (error) {
    const { client: hana, isTerminating } = await options.lastAccess.afterwards(resource, error, ctx.signal);
    if (hana !== undefined) return clientWith(options, resource, hana, []);
    throw withAdvice(error, isTerminating ? adviceOnNamespace : adviceToOrphan(resource));
  }
}
