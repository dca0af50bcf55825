import type { ManagedCluster } from './managed-cluster.ts';

/**
 * Opens the cluster of a kubeconfig, which its caller closes. It need not answer yet.
 *
 * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
 */
export type OpenCluster = (kubeconfig: string) => Promise<ManagedCluster>;
