/**
 * Connect: from a KymaInstanceMapping to a client of the HANA Cloud API for this one reconcile. Credentials are
 * read afresh each time and live no longer than the reconcile.
 */

import { isKymaInstanceMapping as isClusterScoped } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import type { HanaCloud, HanaCloudClient } from '../../../clients/hana-cloud/client.ts';
import type { AdminCredentials } from '../../../clients/hana-cloud/credentials.ts';
import {
  annotationCreatePending,
  annotationOf,
  type Connector,
  type ExternalClient,
  type ReconcileContext,
  wasDeleted,
} from '../../../runtime/index.ts';
import type { HanaHosts } from '../mapping/hana-hosts.ts';
import type { LastAccess } from '../mapping/last-access.ts';
import type { MappingClaims } from '../mapping/mapping-claims.ts';
import {
  createMappingClient,
  type MappingClientOptions,
  nothingToDelete,
} from '../mapping/mapping-client.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import { identityToDelete } from '../mapping/recorded-identity.ts';
import type { Sightings } from '../mapping/sightings.ts';
import { howToLetGo } from '../mapping/words.ts';
import { connectionProblem, heardIn, withAdvice } from '../source/connection-problem.ts';
import { describedIdentity } from './described-identity.ts';
import { isInstanceGone } from './instance-gone.ts';
import { acquireKymaCluster, type KymaCluster, type KymaClusters } from './kyma-cluster.ts';
import { credentialsPlace } from './limit-keys.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { readableSources } from './source-refs.ts';
import { readAccess, readSources, type SourceRefs, type Sources } from './sources.ts';
import { mappingKind, noteSources } from './status.ts';
import { takeOver } from './take-over.ts';

export interface ConnectorOptions {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<KymaInstanceMapping>;
  readonly sightings: Sightings;
  readonly hosts: HanaHosts;
  readonly lastAccess: LastAccess;
}

type Client = ExternalClient<KymaInstanceMapping>;

export function createConnector(options: ConnectorOptions): Connector<KymaInstanceMapping> {
  return {
    connect: async (resource, ctx) => {
      if (isClusterScoped(resource)) await takeOver(options.clusters.own.client, resource, ctx);
      return wasDeleted(resource)
        ? connectToDelete(options, resource, ctx)
        : connectToKeep(options, resource, ctx);
    },
  };
}

async function connectToKeep(
  options: ConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const { described, ...access } = await describeMapping(options.clusters, resource, ctx);
  return open(options, resource, described, access, ctx);
}

/**
 * A deletion goes by what is recorded and needs the credentials alone. Only where a create was begun by someone
 * who recorded no identity (the Go provider) must the sources still say what it was.
 */
async function connectToDelete(
  options: ConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const { clusters, claims } = options;
  const recorded = identityToDelete(mappingKind.recordsOf(resource));
  if (recorded === undefined && !createBegun(resource)) return nothingToDelete;
  if (recorded !== undefined && claims.isAnothers(resource, recorded)) return nothingToDelete;
  try {
    const { described, ...access } =
      recorded === undefined
        ? await describeMapping(clusters, resource, ctx)
        : { described: recorded, ...(await readCredentials(clusters, resource, ctx)) };
    const isGone = ({ signal }: ReconcileContext) => isInstanceGone(clusters, resource, described, signal);
    return open(options, resource, described, { ...access, isInstanceGone: isGone }, ctx);
  } catch (error) {
    const hana = recorded && (await options.lastAccess.afterwards(resource, error, ctx.signal));
    if (recorded && hana) return clientWith(options, hana, recorded, { access: [] });
    throw withAdvice(error, howToLetGo(resource));
  }
}

/** What the sources give beside the identity. */
interface Access extends Pick<MappingClientOptions<KymaInstanceMapping>, 'access' | 'isInstanceGone'> {
  readonly credentials: AdminCredentials;
}

function open(
  options: ConnectorOptions,
  resource: KymaInstanceMapping,
  described: MappingIdentity,
  { credentials, ...access }: Access,
  ctx: ReconcileContext,
): Client {
  const hana = options.hanaCloud.connect(credentials, ctx.reserve);
  options.hosts.note(credentialsPlace(resource), hana.hosts);
  options.lastAccess.note(resource, hana);
  return clientWith(options, hana, described, access);
}

function clientWith(
  { claims, sightings }: ConnectorOptions,
  hana: HanaCloudClient,
  described: MappingIdentity,
  access: Omit<Access, 'credentials'>,
): Client {
  return createMappingClient({ kind: mappingKind, claims, sightings, hana, described, ...access });
}

/** The mapping that the sources describe, with the credentials to keep it. Throws what connectionProblem says. */
async function describeMapping(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access & { readonly described: MappingIdentity }> {
  const sources = await onKymaCluster(clusters, resource, ctx, async (cluster, refs) => {
    const read = await readSources(cluster, refs, ctx.signal);
    noteSources(resource, read);
    return read;
  });
  const described = describedIdentity(resource, sources);
  if (described === undefined) throw withoutFinding();
  return { described, ...accessOf(sources) };
}

async function readCredentials(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access> {
  const sources = await onKymaCluster(clusters, resource, ctx, (cluster, refs) =>
    readAccess(cluster, refs, ctx.signal),
  );
  return accessOf(sources);
}

function accessOf({ credentials, findings }: Sources): Access {
  if (credentials === undefined) throw withoutFinding();
  const ofAccess = findings.filter(({ hop }) => hop === 'ServiceBinding' || hop === 'Secret');
  return { credentials, access: ofAccess.flatMap(({ target }) => target ?? []) };
}

/**
 * Reads sources that must all be usable. The cluster is held for the reading alone, not while HANA Cloud is
 * called.
 */
async function onKymaCluster(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
  read: (cluster: KymaCluster, refs: SourceRefs) => Promise<Sources>,
): Promise<Sources> {
  const refs = readableSources(resource);
  const cluster = await acquireKymaCluster(clusters, resource, ctx.signal);
  try {
    const sources = await read(cluster, refs);
    cluster.report(heardIn(sources.findings));
    const problem = connectionProblem(sources.findings, cluster.secretTarget && [cluster.secretTarget]);
    if (problem) throw problem;
    return sources;
  } finally {
    cluster.release();
  }
}

function createBegun(resource: KymaInstanceMapping): boolean {
  return annotationOf(resource, annotationCreatePending) !== undefined;
}

function withoutFinding(): ProviderError {
  return new ProviderError('bug', 'a source is unusable and no finding says why');
}
