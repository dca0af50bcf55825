import type { Deps } from '../../../../framework/base/index.ts';
import { CLUSTER_LIMITS } from '../../../../framework/kube/client/cluster-limits.ts';
import { createKubeClient, createTransport, type KubeClient } from '../../../../framework/kube/index.ts';
import { permittedKubeconfig } from '../../../../framework/kube/transport/permitted-kubeconfig.ts';

export interface ClusterAccessOptions extends Deps {
  /** Whether servers of kubeconfigs may have loopback and link-local addresses. */
  readonly allowPrivateEndpoints: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Connections to managed clusters, whose kubeconfigs come from others. */
export interface ClusterAccess {
  /**
   * Calls `work` with a client that is closed afterwards.
   *
   * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
   */
  withClient<T>(kubeconfig: string, work: (client: Pick<KubeClient, 'list'>) => Promise<T>): Promise<T>;
}

const CALL_TIMEOUT_MS = 10_000;
const LIMITS = CLUSTER_LIMITS.hostile;

export function createClusterAccess(options: ClusterAccessOptions): ClusterAccess {
  const { allowPrivateEndpoints, env } = options;
  return {
    withClient: async (kubeconfig, work) => {
      const permitted = permittedKubeconfig(kubeconfig, allowPrivateEndpoints);
      const transport = createTransport({ ...permitted, env, connections: 1 });
      const client = createKubeClient({
        ...options,
        ...LIMITS,
        config: permitted.config,
        transport,
        cluster: 'managed',
        metricsHost: '',
        callTimeoutMs: CALL_TIMEOUT_MS,
      });
      try {
        return await work(client);
      } finally {
        await client.close();
      }
    },
  };
}
