/**
 * The versions of every control plane. To upgrade: change both numbers, regenerate `build/go.mod` as the comment at its
 * top describes, and run the tests, which compare the two.
 */
export const KUBERNETES_VERSION = '1.36.3';

/** The etcd that this Kubernetes version itself is built and tested with (its go.mod). */
export const ETCD_VERSION = '3.6.8';

/** The servers of one control plane, by the file names of their binaries. */
export const SERVERS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;

export type Server = (typeof SERVERS)[number];

/** How messages name a server: `kube-apiserver 1.36.3`. */
export const describeServer = (server: Server): string =>
  `${server} ${server === 'etcd' ? ETCD_VERSION : KUBERNETES_VERSION}`;
