/**
 * Connect of InstanceMapping: reads the credentials and opens a client of the HANA Cloud API for one reconcile. They
 * are read on every reconcile and not kept.
 */
import { ProviderError, type WatchedObject } from '../../../framework/base/index.ts';

import type { KnownHosts } from '../../../framework/http/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import type {
  Connector,
  ExternalClient,
  LastAccess,
  ReconcileContext,
} from '../../../framework/managed/index.ts';
import type { HanaCloud, HanaCloudClient, RememberedAccess } from '../hana-cloud/client.ts';
import { withAdvice } from '../input/connection-problem.ts';
import type { InputCluster } from '../input/read-input.ts';
import type { MappingClaims } from '../mapping/claims/mapping-claims.ts';
import { kymaParentOf } from '../mapping/identity/kyma-parent.ts';
import { identityToDelete } from '../mapping/identity/recorded-identity.ts';
import { createMappingClient, nothingToDelete } from '../mapping/mapping-client.ts';
import { adviceOnNamespace, adviceToOrphan, childOfKyma } from '../mapping/messages.ts';
import type { VisibilityRecords } from '../mapping/visibility-records.ts';
import { adminCredentialsRef, readAdminCredentials, secretLocation } from './admin-credentials.ts';
import type { InstanceMapping } from './resource.ts';
import { specIdentity } from './spec-identity.ts';
import { rawMappingKind } from './status.ts';

export interface RawConnectorOptions {
  /** The management cluster, which has the Secrets. */
  readonly cluster: InputCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<InstanceMapping>;
  readonly visibility: VisibilityRecords;
  readonly hosts: KnownHosts;
  readonly lastAccess: LastAccess<RememberedAccess, HanaCloudClient>;
}

type Client = ExternalClient<InstanceMapping>;

export function createRawConnector(options: RawConnectorOptions): Connector<InstanceMapping> {
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
