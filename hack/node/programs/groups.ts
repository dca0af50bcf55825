import { join } from 'node:path';
import type { Release } from '../../control-planes/binaries/download.ts';
import { versionFlags } from '../../control-planes/binaries/go-build.ts';
import { KUBERNETES_VERSION } from '../../control-planes/binaries/versions.ts';

/*
 * The programs of a node, in groups with one version and one Go module each. runc, the CNI plugins and iptables are not
 * among them: they come from the distribution (../requirements.ts).
 */

/** To upgrade: see `build/containerd/go.mod`. */
const CONTAINERD_VERSION = '2.4.2';
/** To upgrade: see `build/coredns/go.mod`. */
const COREDNS_VERSION = '1.15.0';

export const PROGRAMS = [
  'kubelet',
  'kube-scheduler',
  'kube-proxy',
  'kubectl',
  'containerd',
  'containerd-shim-runc-v2',
  'coredns',
  'pause',
] as const;

export type Program = (typeof PROGRAMS)[number];

export interface ProgramGroup {
  readonly name: string;
  /** Without a `v`. */
  readonly version: string;
  readonly programs: readonly Program[];
  /** The official binary; absent where none is published. */
  readonly release?: (program: Program, arch: string) => Release;
  /** Folder of the Go module that pins the version. */
  readonly module: string;
  /** Main packages, one a program. */
  readonly packages: readonly string[];
  readonly linkerFlags?: string;
}

const BUILD = join(import.meta.dirname, '../build');

export const GROUPS: readonly ProgramGroup[] = [
  {
    name: 'kubernetes',
    version: KUBERNETES_VERSION,
    programs: ['kubelet', 'kube-scheduler', 'kube-proxy', 'kubectl'],
    release: (program, arch) => {
      const url = `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/linux/${arch}/${program}`;
      return { url, checksumUrl: `${url}.sha256` };
    },
    // One module for all of Kubernetes, so that a node has the version of its control plane.
    module: join(import.meta.dirname, '../../control-planes/binaries/build'),
    packages: ['kubelet', 'kube-scheduler', 'kube-proxy', 'kubectl'].map(
      (name) => `k8s.io/kubernetes/cmd/${name}`,
    ),
    linkerFlags: versionFlags(),
  },
  {
    name: 'containerd',
    version: CONTAINERD_VERSION,
    programs: ['containerd', 'containerd-shim-runc-v2'],
    release: (program, arch) => {
      const archive = `containerd-static-${CONTAINERD_VERSION}-linux-${arch}.tar.gz`;
      const url = `https://github.com/containerd/containerd/releases/download/v${CONTAINERD_VERSION}/${archive}`;
      return { url, checksumUrl: `${url}.sha256sum`, member: `bin/${program}` };
    },
    module: join(BUILD, 'containerd'),
    packages: ['containerd', 'containerd-shim-runc-v2'].map(
      (name) => `github.com/containerd/containerd/v2/cmd/${name}`,
    ),
    linkerFlags: `-X github.com/containerd/containerd/v2/version.Version=${CONTAINERD_VERSION}`,
  },
  {
    name: 'coredns',
    version: COREDNS_VERSION,
    programs: ['coredns'],
    release: (_, arch) => {
      const archive = `coredns_${COREDNS_VERSION}_linux_${arch}.tgz`;
      const url = `https://github.com/coredns/coredns/releases/download/v${COREDNS_VERSION}/${archive}`;
      return { url, checksumUrl: `${url}.sha256`, member: 'coredns' };
    },
    module: join(BUILD, 'coredns'),
    packages: ['.'],
  },
  // Kubernetes publishes its own as a container image only.
  { name: 'pause', version: '1', programs: ['pause'], module: join(BUILD, 'pause'), packages: ['.'] },
];
