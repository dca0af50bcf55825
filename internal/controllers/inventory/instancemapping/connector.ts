/**
 * Connect: from an InstanceMapping to a client of the HANA Cloud API for this one reconcile. The credentials are
 * read afresh each time and live no longer than the reconcile.
 */
import { ProviderError, type WaitTarget } from '../../../base/errors/errors.ts';
import type { HanaCloud, HanaCloudClient } from '../../../clients/hana-cloud/client.ts';
import {
  type Connector,
  type ExternalClient,
  type ReconcileContext,
  wasDeleted,
} from '../../../runtime/index.ts';
import type { HanaHosts } from '../mapping/hana-hosts.ts';
import { kymaParentOf } from '../mapping/kyma-parent.ts';
import type { LastAccess } from '../mapping/last-access.ts';
import type { MappingClaims } from '../mapping/mapping-claims.ts';
import { createMappingClient, nothingToDelete } from '../mapping/mapping-client.ts';
import { identityToDelete } from '../mapping/recorded-identity.ts';
import type { Sightings } from '../mapping/sightings.ts';
import { childOfKyma, howToLetGo } from '../mapping/words.ts';
import { withAdvice } from '../source/connection-problem.ts';
import type { SourceCluster } from '../source/read-source.ts';
import { adminCredentialsRef, credentialsPlace, readAdminCredentials } from './admin-credentials.ts';
import type { InstanceMapping } from './resource.ts';
import { specIdentity } from './spec-identity.ts';
import { mappingKind } from './status.ts';

export interface ConnectorOptions {
  /** Where the provider's own client points: the Secrets lie beside the resources. */
  readonly cluster: SourceCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<InstanceMapping>;
  readonly sightings: Sightings;
  readonly hosts: HanaHosts;
  readonly lastAccess: LastAccess;
}

type Client = ExternalClient<InstanceMapping>;

export function createConnector(options: ConnectorOptions): Connector<InstanceMapping> {
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
  options: ConnectorOptions,
  resource: InstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const ref = adminCredentialsRef(resource);
  const { credentials, target } = await readAdminCredentials(options.cluster, ref, ctx.signal);
  const hana = options.hanaCloud.connect(credentials, ctx.reserve);
  options.hosts.note(credentialsPlace(resource), hana.hosts);
  options.lastAccess.note(resource, hana);
  return clientWith(options, resource, hana, [target]);
}

function clientWith(
  { claims, sightings }: ConnectorOptions,
  resource: InstanceMapping,
  hana: HanaCloudClient,
  access: readonly WaitTarget[],
): Client {
  const described = specIdentity(resource);
  return createMappingClient({ kind: mappingKind, claims, sightings, hana, described, access });
}

async function connectToDelete(
  options: ConnectorOptions,
  resource: InstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  if (kymaParentOf(resource) !== undefined) return nothingToDelete;
  // An external name that was changed to another mapping's must be seen before anything is deleted.
  const recorded = identityToDelete(mappingKind.recordsOf(resource));
  if (recorded !== undefined && options.claims.isAnothers(resource, recorded)) return nothingToDelete;
  try {
    return await open(options, resource, ctx);
  } catch (error) {
    const hana = await options.lastAccess.afterwards(resource, error, ctx.signal);
    if (hana !== undefined) return clientWith(options, resource, hana, []);
    throw withAdvice(error, howToLetGo(resource));
  }
}
