import { createDeps, type Deps } from '../../../base/deps.ts';
import { createRequestSender } from '../../../kube/client/request-sender.ts';
import { createKubeClient } from '../../../kube/client/rest-client.ts';
import { loadClusterConfig } from '../../../kube/config/load-cluster-config.ts';
import { createTransport } from '../../../kube/transport/transport.ts';
import { createCachedKinds } from '../../clusters/cached-kinds.ts';
import { discoverKinds } from '../../clusters/discovery.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';

/** The cluster that this program runs in. The caller closes it. */
export type OpenControlPlane = (deps: Pick<Deps, 'clock' | 'random' | 'log'>) => Promise<ManagedCluster>;

const MIB = 1024 * 1024;
const LIMITS = { connections: 4, maxResponseBytes: 16 * MIB, maxWatchLineBytes: 4 * MIB } as const;
const CALL_TIMEOUT_MS = 30_000;

/** By KUBECONFIG, the service account of the pod, or the kubeconfig of the user. */
export const openControlPlane: OpenControlPlane = async (given) => {
  const deps = createDeps(given);
  const config = await loadClusterConfig(deps);
  const transport = createTransport({ config, connections: LIMITS.connections });
  const shared = { ...deps, config, transport };
  const client = createKubeClient({
    ...shared,
    ...LIMITS,
    jsonLimits: { maxDepth: 128, maxValues: 500_000 },
    cluster: 'control plane',
    metricsHost: '',
    callTimeoutMs: CALL_TIMEOUT_MS,
  });
  const sender = createRequestSender({
    ...shared,
    clusterName: client.clusterName,
    metricsLabels: { cluster: 'control plane', host: '' },
    timeoutMs: CALL_TIMEOUT_MS,
    maxResponseBytes: LIMITS.maxResponseBytes,
  });
  return {
    name: 'control plane',
    client,
    kinds: createCachedKinds(
      (signal) => discoverKinds({ sender, maxBytes: LIMITS.maxResponseBytes }, signal),
      deps,
    ),
    close: () => client.close(),
  };
};
