import { unlimitedBytes } from '../../../../framework/base/collections/byte-budget.ts';
import {
  type ByteBudget,
  createDeps,
  type Deps,
  type HeldBytes,
  holdBytes,
  inParallel,
  memoryOf,
  ProviderError,
  parseBoundedJson,
  valueAt,
} from '../../../../framework/base/index.ts';
import { createRequestSender, type RequestSender } from '../../../../framework/kube/client/request-sender.ts';
import { sentence } from '../../../../framework/kube/errors/errors.ts';
import {
  type ClusterConfig,
  type ClusterLimits,
  createKubeClient,
  createTransport,
  isForbidden,
  isNotFound,
  loadClusterConfig,
  type Transport,
} from '../../../../framework/kube/index.ts';
import { permittedKubeconfig } from '../../../../framework/kube/transport/transport.ts';
import type { ManagedCluster } from '../model/component.ts';
import {
  createCachedKinds,
  type Discovery,
  noMemoryFor,
  parseAggregated,
  parseGroups,
  parseResources,
  type ServedKind,
} from './cached-kinds.ts';
import { uncountedCluster } from './uncounted-cluster.ts';

export interface ManagedClusterOptions extends Deps {
  /** Whether the server may have a loopback or link-local address. Private addresses are accepted. */
  readonly allowPrivateEndpoints: boolean;
  /** With the proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a request with all its retries, in ms; default 30 seconds. */
  readonly callTimeoutMs?: number;
  /** Whether charts are rendered as without a cluster: as `helm template` does. Default false. */
  readonly defaultCapabilities?: boolean | undefined;
  /** What it has sent and was not read yet, and its kinds, use of it; default: no limit. */
  readonly memory?: ByteBudget | undefined;
  /** For tests: the transport in place of the one to the server. */
  readonly wrapTransport?: (transport: Transport) => Transport;
}

const MIB = 1024 * 1024;
const CALL_TIMEOUT_MS = 30_000;

/** Of all tasks for the cluster together. A CRD has up to a MiB, twice with its field ownership. */
const MANAGED_LIMITS: ClusterLimits = {
  connections: 16,
  maxResponseBytes: 4 * MIB,
  maxWatchLineBytes: 4 * MIB,
  jsonLimits: { maxDepth: 128, maxValues: 200_000 },
};

/**
 * Connections to a managed cluster. Its kubeconfig and all its responses are untrusted.
 *
 * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
 */
export function openManagedCluster(kubeconfig: string, options: ManagedClusterOptions): ManagedCluster {
  const { allowPrivateEndpoints, env, callTimeoutMs = CALL_TIMEOUT_MS, memory } = options;
  const permitted = permittedKubeconfig(kubeconfig, allowPrivateEndpoints);
  const { config } = permitted;
  const direct = createTransport({ ...permitted, env, memory, connections: MANAGED_LIMITS.connections });
  const transport = options.wrapTransport?.(direct) ?? direct;
  return connectCluster({
    ...options,
    config,
    transport,
    name: transport.host,
    cluster: 'managed',
    limits: MANAGED_LIMITS,
    callTimeoutMs,
  });
}

/** Opens the cluster that this program runs in. The caller closes it. */
export type OpenControlPlane = (deps: Pick<Deps, 'clock' | 'random' | 'log'>) => Promise<ManagedCluster>;

const CONTROL_PLANE_LIMITS: ClusterLimits = {
  connections: 4,
  maxResponseBytes: 16 * MIB,
  maxWatchLineBytes: 4 * MIB,
  jsonLimits: { maxDepth: 128, maxValues: 500_000 },
};

/** By KUBECONFIG, the service account of the pod, or the kubeconfig of the user. */
export const openControlPlane: OpenControlPlane = async (given) => {
  const deps = createDeps(given);
  const config = await loadClusterConfig(deps);
  const transport = createTransport({ config, connections: CONTROL_PLANE_LIMITS.connections });
  const name = 'control plane';
  const limits = CONTROL_PLANE_LIMITS;
  return connectCluster({
    ...deps,
    config,
    transport,
    name,
    cluster: name,
    limits,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });
};

interface ConnectClusterOptions extends Deps {
  readonly config: ClusterConfig;
  readonly transport: Transport;
  /** For messages. */
  readonly name: string;
  /** Label of metrics. */
  readonly cluster: string;
  readonly limits: ClusterLimits;
  /** For a request with all its retries, in ms. */
  readonly callTimeoutMs: number;
  /** Whether charts are rendered as without a cluster. Default false. */
  readonly defaultCapabilities?: boolean | undefined;
  readonly memory?: ByteBudget | undefined;
}

/** A cluster over a transport, which is closed with it. */
function connectCluster(options: ConnectClusterOptions): ManagedCluster {
  const { name, cluster, limits, callTimeoutMs, defaultCapabilities = false, memory } = options;
  const client = createKubeClient({ ...options, ...limits, cluster, metricsHost: '', callTimeoutMs });
  const sender = createRequestSender({
    ...options,
    clusterName: client.clusterName,
    metricsLabels: { cluster, host: '' },
    timeoutMs: callTimeoutMs,
    maxResponseBytes: limits.maxResponseBytes,
  });
  const kinds = createCachedKinds(async (signal) => {
    using documents = holdBytes(memory ?? unlimitedBytes);
    return await discoverKinds({ sender, documents, maxBytes: limits.maxResponseBytes }, signal);
  }, options);
  return uncountedCluster({
    name,
    client,
    kinds,
    capabilities: async ({ signal }: { readonly signal: AbortSignal }) => {
      if (defaultCapabilities) return undefined;
      const [kubeVersion, apiVersions] = await Promise.all([
        readServerVersion(sender, signal),
        kinds.apiVersions({ signal }),
      ]);
      return { ...(kubeVersion === undefined ? {} : { kubeVersion }), apiVersions };
    },
    close: () => {
      kinds.forget();
      return client.close();
    },
  });
}

interface DiscoveryOptions {
  readonly sender: RequestSender;
  /** What documents take until all are read. */
  readonly documents: HeldBytes;
  /** Of a response, in bytes. */
  readonly maxBytes: number;
}

/** The aggregated form of Kubernetes 1.30 and later, that of 1.26, and the list of groups that all others send. */
const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');
/** Requests at a time for groups, if the server has no aggregated discovery. */
const WIDTH = 4;
const JSON_LIMITS = { maxDepth: 16, maxValues: 200_000 };
/** Clusters with thousands of CRDs have fewer. */
const MAX_KINDS = 10_000;
const MAX_VERSIONS = 2000;

/** All kinds that the cluster serves: two requests where discovery is aggregated, else one for each group and version. */
async function discoverKinds(options: DiscoveryOptions, signal: AbortSignal): Promise<Discovery> {
  // Of a document only its kinds are kept: the other one may come late.
  const [ofCore, ofGroups] = await Promise.all([
    read(options, '/api', ACCEPT, signal).then(
      (core) => parseAggregated(core) ?? [{ group: '', version: 'v1' }],
    ),
    read(options, '/apis', ACCEPT, signal).then((groups) => parseAggregated(groups) ?? parseGroups(groups)),
  ]);
  const aggregated = [ofCore, ofGroups].filter((each) => 'kinds' in each);
  const named = [ofCore, ofGroups].flatMap((each) => ('kinds' in each ? [] : each));
  const found = new Map<number, readonly ServedKind[]>();
  let count = aggregated.reduce((sum, { kinds }) => sum + kinds.length, 0);
  /** The server of a tenant says how many there are. */
  const assertFew = (more: number) => {
    count += more;
    if (count <= MAX_KINDS && named.length <= MAX_VERSIONS) return;
    throw new ProviderError(
      'transient',
      `the cluster serves more than ${MAX_KINDS} kinds, or more than ${MAX_VERSIONS} versions of groups`,
    );
  };
  assertFew(0);
  await inParallel(named.entries(), WIDTH, async ([index, { group, version }]) => {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const document = await read(options, path, 'application/json', signal);
      const kinds = parseResources(document, group, version);
      assertFew(kinds.length);
      found.set(index, kinds);
    } catch (error) {
      signal.throwIfAborted();
      if (group === '' || count > MAX_KINDS) throw error;
      // Else an aggregated API server is down: its kinds are unknown, all others are not.
      if (isNotFound(error)) found.set(index, []);
    }
  });
  return {
    kinds: [
      ...aggregated.flatMap(({ kinds }) => kinds),
      ...named.flatMap((_, index) => found.get(index) ?? []),
    ],
    versions: [
      ...aggregated.flatMap(({ versions }) => versions),
      ...named.map((each, index) => ({ ...each, isKnown: found.has(index) })),
    ],
  };
}

async function read(
  { sender, documents, maxBytes }: DiscoveryOptions,
  path: string,
  accept: string,
  signal: AbortSignal,
): Promise<unknown> {
  const call = { verb: 'discover', object: `kinds of ${path}` };
  const text = await sender.call({ ...call, method: 'GET', path, accept, maxBytes, signal });
  let document: unknown;
  try {
    document = parseBoundedJson(text, { ...JSON_LIMITS, maxLength: text.length });
  } catch {
    throw new ProviderError('transient', `${sentence(sender.attempt(call))}: the response is not valid JSON`);
  }
  if (!documents.take(memoryOf(document))) throw noMemoryFor(`the kinds of ${path}`);
  return document;
}

const MAX_BYTES = 64 * 1024;
/** `v1.36.3`, `v1.31.1-eks-ce1d5eb`, `v1.30.5+k3s1` */
const VERSION = /^v?\d+\.\d[A-Za-z0-9.+_-]{0,100}$/;

/** The version that an API server states of itself; undefined if it does not. */
async function readServerVersion(sender: RequestSender, signal: AbortSignal): Promise<string | undefined> {
  const call = { verb: 'get', object: 'the version of the API server' };
  const request = { ...call, method: 'GET', path: '/version', accept: 'application/json' } as const;
  let text: string;
  try {
    text = await sender.call({ ...request, maxBytes: MAX_BYTES, signal });
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
  try {
    const version = valueAt(parseBoundedJson(text, { maxLength: MAX_BYTES, maxDepth: 4 }), ['gitVersion']);
    return typeof version === 'string' && VERSION.test(version) ? version : undefined;
  } catch {
    throw new ProviderError('transient', `${sentence(sender.attempt(call))}: the response is not valid JSON`);
  }
}
