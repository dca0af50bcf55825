/**
 * Connect of KymaInstanceMapping: reads the input objects and opens a client of the HANA Cloud API for one reconcile.
 * Credentials are read on every reconcile and not kept.
 */
import { ProviderError } from '../../../base/errors/errors.ts';
import type { HanaCloud, HanaCloudClient } from '../../../clients/hana-cloud/client.ts';
import type { AdminCredentials } from '../../../clients/hana-cloud/credentials.ts';
import { describeRef } from '../../../kube/cluster/kubeconfig-secret.ts';
import { wasDeleted } from '../../../kube/index.ts';
import {
  annotationCreatePending,
  annotationOf,
  type Connector,
  type ExternalClient,
  type ReconcileContext,
} from '../../../managed/index.ts';
import { clusterResponse, connectionProblem, withAdvice } from '../input/connection-problem.ts';
import { type InputCluster, polled } from '../input/read-input.ts';
import type { HanaHosts } from '../mapping/access/hana-hosts.ts';
import type { LastAccess } from '../mapping/access/last-access.ts';
import type { VisibilityRecords } from '../mapping/access/visibility-records.ts';
import type { MappingClaims } from '../mapping/claims/mapping-claims.ts';
import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import { identityToDelete } from '../mapping/identity/recorded-identity.ts';
import {
  createMappingClient,
  type MappingClientOptions,
  nothingToDelete,
} from '../mapping/mapping-client.ts';
import { adviceOnNamespace, adviceToOrphan } from '../mapping/messages.ts';
import { describedIdentity } from './inputs/described-identity.ts';
import { clusterRefOf, readableInputs } from './inputs/input-refs.ts';
import { type InputRefs, type Inputs, readAccess, readInputs } from './inputs/inputs.ts';
import { isInstanceGone } from './inputs/instance-gone.ts';
import { acquireKymaCluster, type KymaClusters, type KymaClusterUse } from './inputs/kyma-cluster.ts';
import { bindingLocation } from './limit-keys.ts';
import { migrateFromGo } from './migration/migrate-from-go.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { kymaMappingKind, noteInputs } from './status.ts';

export interface KymaConnectorOptions {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<KymaInstanceMapping>;
  readonly visibility: VisibilityRecords;
  readonly hosts: HanaHosts;
  readonly lastAccess: LastAccess;
}

type Client = ExternalClient<KymaInstanceMapping>;

export function createKymaConnector(options: KymaConnectorOptions): Connector<KymaInstanceMapping> {
  return {
    connect: async (resource, ctx) => {
      // The Go provider has no namespaced resources.
      if (resource.metadata.namespace === undefined)
        await migrateFromGo(options.clusters.own.client, resource, ctx);
      return wasDeleted(resource)
        ? connectToDelete(options, resource, ctx)
        : connectToKeep(options, resource, ctx);
    },
  };
}

async function connectToKeep(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const { described, ...access } = await describeMapping(options.clusters, resource, ctx);
  return open(options, resource, described, access, ctx);
}

/**
 * A deletion uses the recorded identity and reads only the credentials. If a create is pending without a recorded
 * identity (the Go provider leaves this), the input objects describe the mapping.
 */
async function connectToDelete(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Client> {
  const { clusters, claims } = options;
  const recorded = identityToDelete(kymaMappingKind.recordsOf(resource));
  if (recorded === undefined && !createBegun(resource)) return nothingToDelete;
  if (recorded !== undefined && claims.isTakenOver(resource, recorded)) return nothingToDelete;
  try {
    const { described, ...access } =
      recorded === undefined
        ? await describeMapping(clusters, resource, ctx)
        : { described: recorded, ...(await readCredentials(clusters, resource, ctx)) };
    const isGone = ({ signal }: ReconcileContext) => isInstanceGone(clusters, resource, described, signal);
    return open(options, resource, described, { ...access, isInstanceGone: isGone }, ctx);
  } catch (error) {
    const { hana, isTerminating } = await options.lastAccess.afterwards(resource, error, ctx.signal);
    if (recorded && hana) return clientWith(options, hana, recorded, { access: [] });
    throw withAdvice(error, isTerminating ? adviceOnNamespace : adviceToOrphan(resource));
  }
}

/** What the input objects provide besides the identity. */
interface Access extends Pick<MappingClientOptions<KymaInstanceMapping>, 'access' | 'isInstanceGone'> {
  readonly credentials: AdminCredentials;
}

function open(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  described: MappingIdentity,
  { credentials, ...access }: Access,
  ctx: ReconcileContext,
): Client {
  const hana = options.hanaCloud.connect(credentials, ctx.reserve);
  options.hosts.note(bindingLocation(resource), hana.hosts);
  options.lastAccess.note(resource, hana);
  return clientWith(options, hana, described, access);
}

function clientWith(
  { claims, visibility }: KymaConnectorOptions,
  hana: HanaCloudClient,
  described: MappingIdentity,
  access: Omit<Access, 'credentials'>,
): Client {
  return createMappingClient({ kind: kymaMappingKind, claims, visibility, hana, described, ...access });
}

/** @throws the error of connectionProblem if an input object is unusable */
async function describeMapping(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access & { readonly described: MappingIdentity }> {
  const inputs = await onKymaCluster(clusters, resource, ctx, async (cluster, refs) => {
    const read = await readInputs(ctx.isLowPriority ? polled(cluster) : cluster, refs, ctx.signal);
    noteInputs(resource, read);
    return read;
  });
  const described = describedIdentity(resource, inputs);
  if (described === undefined) throw withoutFinding();
  return { described, ...accessOf(inputs) };
}

async function readCredentials(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access> {
  const inputs = await onKymaCluster(clusters, resource, ctx, (cluster, refs) =>
    readAccess(cluster, refs, ctx.signal),
  );
  return accessOf(inputs);
}

function accessOf({ credentials, findings }: Inputs): Access {
  if (credentials === undefined) throw withoutFinding();
  const ofAccess = findings.filter(({ type }) => type.kind === 'ServiceBinding' || type.kind === 'Secret');
  return { credentials, access: ofAccess.flatMap(({ target }) => target ?? []) };
}

/**
 * Reads input objects, all of which must be usable. The cluster is released before HANA Cloud is called.
 *
 * @throws the error of connectionProblem
 */
async function onKymaCluster(
  clusters: KymaClusters,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
  read: (cluster: InputCluster, refs: InputRefs) => Promise<Inputs>,
): Promise<Inputs> {
  const refs = readableInputs(resource);
  const use = await acquireKymaCluster(clusters, resource, ctx.signal);
  try {
    const inputs = await read(use.cluster, refs);
    use.report(clusterResponse(inputs.findings));
    const problem = connectionProblem(inputs.findings, kubeconfigOf(resource, use));
    if (problem) throw problem;
    return inputs;
  } finally {
    use.release();
  }
}

function kubeconfigOf(resource: KymaInstanceMapping, { secretTarget: target }: KymaClusterUse) {
  const ref = clusterRefOf(resource);
  return ref && target && { place: describeRef(ref), target };
}

function createBegun(resource: KymaInstanceMapping): boolean {
  return annotationOf(resource, annotationCreatePending) !== undefined;
}

function withoutFinding(): ProviderError {
  return new ProviderError('bug', 'a source is unusable and no finding says why');
}
