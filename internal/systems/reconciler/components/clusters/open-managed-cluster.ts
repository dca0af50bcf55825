import type { Deps } from '../../../../framework/base/deps.ts';
import type { ClusterLimits } from '../../../../framework/kube/client/cluster-limits.ts';
import { permittedKubeconfig } from '../../../../framework/kube/transport/permitted-kubeconfig.ts';
import { createTransport, type Transport } from '../../../../framework/kube/transport/transport.ts';
import type { ManagedCluster } from '../model/managed-cluster.ts';
import { connectCluster } from './connect-cluster.ts';

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
