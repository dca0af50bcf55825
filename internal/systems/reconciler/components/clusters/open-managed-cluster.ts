import { createDeps, type Deps } from '../../../../framework/base/deps.ts';
import type { ClusterLimits } from '../../../../framework/kube/client/cluster-limits.ts';
import { createRequestSender } from '../../../../framework/kube/client/request-sender.ts';
import { createKubeClient } from '../../../../framework/kube/client/rest-client.ts';
import type { ClusterConfig } from '../../../../framework/kube/config/cluster-config.ts';
import { loadClusterConfig } from '../../../../framework/kube/config/load-cluster-config.ts';
import { permittedKubeconfig } from '../../../../framework/kube/transport/permitted-kubeconfig.ts';
import { createTransport, type Transport } from '../../../../framework/kube/transport/transport.ts';
import type { ManagedCluster } from '../model/managed-cluster.ts';
import { createCachedKinds } from './cached-kinds.ts';
import { discoverKinds } from './discovery.ts';
import { readServerVersion } from './server-version.ts';

export interface ManagedClusterOptions extends Deps {
  /** Whether the server may have a loopback or link-local address. Private addresses are accepted. */
  readonly allowPrivateEndpoints: boolean;
  /** With the proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a request with all its retries, in ms; default 30 seconds. */
  readonly callTimeoutMs?: number;
  /** Whether charts are rendered as without a cluster: as `helm template` does. Default false. */
  readonly defaultCapabilities?: boolean | undefined;
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
  const { allowPrivateEndpoints, env, callTimeoutMs = CALL_TIMEOUT_MS } = options;
  const permitted = permittedKubeconfig(kubeconfig, allowPrivateEndpoints);
  const { config } = permitted;
  const direct = createTransport({ ...permitted, env, connections: MANAGED_LIMITS.connections });
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
}

/** A cluster over a transport, which is closed with it. */
function connectCluster(options: ConnectClusterOptions): ManagedCluster {
  const { name, cluster, limits, callTimeoutMs, defaultCapabilities = false } = options;
  const client = createKubeClient({ ...options, ...limits, cluster, metricsHost: '', callTimeoutMs });
  const sender = createRequestSender({
    ...options,
    clusterName: client.clusterName,
    metricsLabels: { cluster, host: '' },
    timeoutMs: callTimeoutMs,
    maxResponseBytes: limits.maxResponseBytes,
  });
  const kinds = createCachedKinds(
    (signal) => discoverKinds({ sender, maxBytes: limits.maxResponseBytes }, signal),
    options,
  );
  return {
    name,
    client,
    kinds,
    capabilities: async ({ signal }) => {
      if (defaultCapabilities) return undefined;
      const [kubeVersion, apiVersions] = await Promise.all([
        readServerVersion(sender, signal),
        kinds.apiVersions({ signal }),
      ]);
      return { ...(kubeVersion === undefined ? {} : { kubeVersion }), apiVersions };
    },
    close: () => client.close(),
  };
}
