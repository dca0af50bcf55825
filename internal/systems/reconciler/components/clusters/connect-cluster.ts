import type { Deps } from '../../../../framework/base/deps.ts';
import type { ClusterLimits } from '../../../../framework/kube/client/cluster-limits.ts';
import { createRequestSender } from '../../../../framework/kube/client/request-sender.ts';
import { createKubeClient } from '../../../../framework/kube/client/rest-client.ts';
import type { ClusterConfig } from '../../../../framework/kube/config/cluster-config.ts';
import type { Transport } from '../../../../framework/kube/transport/transport.ts';
import type { ManagedCluster } from '../model/managed-cluster.ts';
import { createCachedKinds } from './cached-kinds.ts';
import { discoverKinds } from './discovery.ts';
import { readServerVersion } from './server-version.ts';

export interface ConnectClusterOptions extends Deps {
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
export function connectCluster(options: ConnectClusterOptions): ManagedCluster {
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
