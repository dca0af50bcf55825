import { createDeps, type Deps } from '../../../../../framework/base/deps.ts';
import { loadClusterConfig } from '../../../../../framework/kube/config/load-cluster-config.ts';
import { createTransport } from '../../../../../framework/kube/transport/transport.ts';
import { connectCluster } from '../../clusters/connect-cluster.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';

/** The cluster that this program runs in. The caller closes it. */
export type OpenControlPlane = (deps: Pick<Deps, 'clock' | 'random' | 'log'>) => Promise<ManagedCluster>;

const MIB = 1024 * 1024;
const LIMITS = {
  connections: 4,
  maxResponseBytes: 16 * MIB,
  maxWatchLineBytes: 4 * MIB,
  jsonLimits: { maxDepth: 128, maxValues: 500_000 },
} as const;
const CALL_TIMEOUT_MS = 30_000;

/** By KUBECONFIG, the service account of the pod, or the kubeconfig of the user. */
export const openControlPlane: OpenControlPlane = async (given) => {
  const deps = createDeps(given);
  const config = await loadClusterConfig(deps);
  const transport = createTransport({ config, connections: LIMITS.connections });
  const name = 'control plane';
  return connectCluster({
    ...deps,
    config,
    transport,
    name,
    cluster: name,
    limits: LIMITS,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });
};
