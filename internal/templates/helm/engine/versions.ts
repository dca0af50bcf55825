/** What the newest supported Helm says of itself; see hack/helm, which has the same version. */

export const HELM_BUILD = { version: 'v4.3.1', goVersion: 'go1.26.8', kubeClientVersion: 'v1.37' } as const;

/** The Kubernetes version of `helm template` without a cluster. */
export const KUBE_VERSION = 'v1.37.0';
