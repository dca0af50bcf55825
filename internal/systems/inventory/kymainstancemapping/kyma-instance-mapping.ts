/**
 * KymaInstanceMapping manages the mapping of a HANA Cloud instance to a namespace of a Kyma cluster. The IDs and the
 * credentials are in four input objects, on the management cluster or a remote one, and are read on every reconcile.
 * The kind exists with cluster scope and with namespace scope (resource.ts).
 *
 * - inputs: references to the input objects, and what is read from them
 * - status.ts: what is recorded of the mapping
 * - migration: removes what SAP's Go provider left
 * - diagnosis: the report of `doctor`
 *
 * ../mapping has what is common to both kinds of mappings.
 */

import { type LimitKeyOption, ProviderError } from '../../../framework/base/index.ts';
import { clientCertificateOf, createKnownHosts, type KnownHosts } from '../../../framework/http/index.ts';
import { describeRef } from '../../../framework/kube/cluster/cluster-pool.ts';
import { groupResource, type ResourceType, wasDeleted } from '../../../framework/kube/index.ts';
import {
  annotationCreatePending,
  annotationOf,
  type Connector,
  createLastAccess,
  type ExternalClient,
  type LastAccess,
  type ManagedKind,
  type ReconcileContext,
  shareOfNamespace,
} from '../../../framework/managed/index.ts';
import type { HanaCloud, HanaCloudClient, KnownCredentials, RememberedAccess } from '../hana-cloud/client.ts';
import type { AdminCredentials } from '../hana-cloud/credentials.ts';
import { clusterResponse, connectionProblem, withAdvice } from '../input/connection-problem.ts';
import { type InputCluster, polled } from '../input/read-input.ts';
import type { MappingClaims, MappingClaimsIndex } from '../mapping/claims/mapping-claims.ts';
import {
  createMappingClient,
  type MappingClientOptions,
  nothingToDelete,
} from '../mapping/mapping-client.ts';
import { identityToDelete, type MappingIdentity } from '../mapping/mapping-identity.ts';
import { noteFailure, pollGroupOf } from '../mapping/mapping-kind.ts';
import { adviceOnNamespace, adviceToOrphan } from '../mapping/messages.ts';
import type { VisibilityRecords } from '../mapping/visibility-records.ts';
import { clusterRefOf, describedIdentity, namedInputs, readableInputs } from './inputs/input-refs.ts';
import { type InputRefs, type Inputs, readAccess, readInputs } from './inputs/inputs.ts';
import { isInstanceGone } from './inputs/instance-gone.ts';
import { createKnownInputs, type KnownInputs } from './inputs/known-inputs.ts';
import { acquireKymaCluster, type KymaClusters, type KymaClusterUse } from './inputs/kyma-cluster.ts';
import { migrateFromGo } from './migration/migrate-from-go.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { kymaMappingKind, noteInputs } from './status.ts';

interface KymaInstanceMappingOptions {
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

interface KymaConnectorOptions {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaims<KymaInstanceMapping>;
  readonly visibility: VisibilityRecords;
  readonly hosts: KnownHosts;
  readonly lastAccess: LastAccess<RememberedAccess, HanaCloudClient>;
  readonly knownInputs: KnownInputs;
}

type Client = ExternalClient<KymaInstanceMapping>;

/**
 * Connect of KymaInstanceMapping: reads the input objects and opens a client of the HANA Cloud API for one reconcile.
 * Credentials are not kept. A poll reads them for a new token only, as long as their Secret has the same version.
 */
function createKymaConnector(options: KymaConnectorOptions): Connector<KymaInstanceMapping> {
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
  const isPoll = ctx.isLowPriority;
  const { inputs, described } = await describeMapping(options, resource, ctx, isPoll);
  const { known } = inputs;
  if (known === undefined) return open(options, resource, described, accessOf(inputs), ctx);
  const read = async (signal: AbortSignal) =>
    (await readCredentials(options, resource, { ...ctx, signal })).credentials;
  const hana = options.hanaCloud.reopen(known, read, ctx.reserve);
  if (hana !== undefined) return openWith(options, resource, described, { hana, ...targetsOf(inputs) });
  // There is no token any more.
  const { inputs: again } = await describeMapping(options, resource, ctx, false);
  return open(options, resource, described, accessOf(again), ctx);
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
        ? await describeWithAccess(options, resource, ctx)
        : { described: recorded, ...(await readCredentials(options, resource, ctx)) };
    const isGone = ({ signal }: ReconcileContext) => isInstanceGone(clusters, resource, described, signal);
    return open(options, resource, described, { ...access, isInstanceGone: isGone }, ctx);
  } catch (error) {
    const { client: hana, isTerminating } = await options.lastAccess.afterwards(resource, error, ctx.signal);
    if (recorded && hana) return clientWith(options, hana, recorded, { access: [] });
    throw withAdvice(error, isTerminating ? adviceOnNamespace : adviceToOrphan(resource));
  }
}

/** What the input objects provide besides the identity. */
interface Access extends Pick<MappingClientOptions<KymaInstanceMapping>, 'access' | 'isInstanceGone'> {
  readonly credentials: AdminCredentials;
  readonly remember: (known: KnownCredentials) => void;
}

function open(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  described: MappingIdentity,
  { credentials, remember, ...access }: Access,
  ctx: ReconcileContext,
): Client {
  const hana = options.hanaCloud.connect(credentials, ctx.reserve);
  const { hosts, viewer } = hana;
  remember({ ...hosts, viewer, hasCertificate: clientCertificateOf(credentials) !== undefined });
  return openWith(options, resource, described, { hana, ...access });
}

function openWith(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  described: MappingIdentity,
  { hana, ...access }: Omit<Access, 'credentials' | 'remember'> & { readonly hana: HanaCloudClient },
): Client {
  options.hosts.note(bindingLocation(resource), hana.hosts);
  options.lastAccess.note(resource, hana.access);
  return clientWith(options, hana, described, access);
}

function clientWith(
  { claims, visibility }: KymaConnectorOptions,
  hana: HanaCloudClient,
  described: MappingIdentity,
  access: Omit<Access, 'credentials' | 'remember'>,
): Client {
  return createMappingClient({ kind: kymaMappingKind, claims, visibility, hana, described, ...access });
}

/** @throws the error of connectionProblem if an input object is unusable */
async function describeMapping(
  { clusters, knownInputs }: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
  isPoll: boolean,
): Promise<{ readonly inputs: Inputs; readonly described: MappingIdentity }> {
  const inputs = await onKymaCluster(clusters, resource, ctx, async (cluster, refs) => {
    const options = { known: knownInputs, isPoll };
    const read = await readInputs(isPoll ? polled(cluster) : cluster, refs, ctx.signal, options);
    noteInputs(resource, read);
    return read;
  });
  const described = describedIdentity(resource, inputs);
  if (described === undefined) throw withoutFinding();
  return { inputs, described };
}

async function describeWithAccess(
  options: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access & { readonly described: MappingIdentity }> {
  const { inputs, described } = await describeMapping(options, resource, ctx, false);
  return { described, ...accessOf(inputs) };
}

async function readCredentials(
  { clusters }: KymaConnectorOptions,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<Access> {
  const inputs = await onKymaCluster(clusters, resource, ctx, (cluster, refs) =>
    readAccess(cluster, refs, ctx.signal),
  );
  return accessOf(inputs);
}

function accessOf(inputs: Inputs): Access {
  const { credentials, remember = () => undefined } = inputs;
  if (credentials === undefined) throw withoutFinding();
  return { credentials, remember, ...targetsOf(inputs) };
}

function targetsOf({ findings }: Inputs): Pick<Access, 'access'> {
  const ofAccess = findings.filter(({ type }) => type.kind === 'ServiceBinding' || type.kind === 'Secret');
  return { access: ofAccess.flatMap(({ target }) => target ?? []) };
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

/** The location of the credentials, as a key: the cluster and the ServiceBinding. */
export function bindingLocation(resource: KymaInstanceMapping): string {
  const { name, namespace } = namedInputs(resource).adminBindingRef;
  return JSON.stringify([clusterRefOf(resource) ?? null, namespace, name]);
}

/** The limit keys of a reconcile: the share of the namespace, the remote cluster, if there is one, and the hosts of HANA Cloud. */
function kymaLimitKeysOf(resource: KymaInstanceMapping, hosts: KnownHosts): LimitKeyOption[] {
  const ref = clusterRefOf(resource);
  const cluster = ref === undefined ? [] : [{ name: `cluster ${JSON.stringify(ref)}`, remote: true }];
  return [...shareOfNamespace(resource), ...cluster, ...hosts.limitKeysOf(bindingLocation(resource))];
}
