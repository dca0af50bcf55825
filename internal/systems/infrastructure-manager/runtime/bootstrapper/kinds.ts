/** Kinds that the runtime bootstrapper needs beside those of each cluster, as far as they are read here. */
import type { KubeObject, ResourceType } from '../../../../framework/kube/index.ts';

export interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** Certificates that pods can mount. */
export interface ClusterTrustBundle extends KubeObject {
  readonly spec: { readonly signerName?: string; readonly trustBundle: string };
}

export const clusterTrustBundles: ResourceType<ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
  hasCrd: false,
};
