import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runGo } from './go-command.ts';
import { KUBERNETES_VERSION, type Server } from './versions.ts';

/** The Go module that pins the versions of these servers. */
const MODULE = join(import.meta.dirname, 'build');

/** Main package and, where it differs from the server's name, what Go calls the binary. */
const PACKAGES: Readonly<Record<Server, { readonly path: string; readonly output?: string }>> = {
  etcd: { path: 'go.etcd.io/etcd/server/v3', output: 'server' },
  'kube-apiserver': { path: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { path: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
};

/** Builds servers from Go modules into `directory`. Takes about five minutes on two cores with empty caches. */
export async function buildServers(servers: readonly Server[], directory: string): Promise<void> {
  const packages = servers.map((server) => PACKAGES[server].path);
  await runGo(MODULE, ['build', ...buildFlags(versionFlags()), '-o', `${directory}/`, ...packages]);
  for (const server of servers) {
    const output = PACKAGES[server].output;
    if (output !== undefined) await rename(join(directory, output), join(directory, server));
  }
}

export interface ProgramBuild {
  /** Folder of the Go module that pins the versions. */
  readonly module: string;
  /** Main package. */
  readonly path: string;
  /** Path of the binary. */
  readonly output: string;
  /** Such as the version, `-X package.variable=value`. */
  readonly linkerFlags?: string | undefined;
}

/** Builds one program from Go modules. */
export async function buildProgram({ module, path, output, linkerFlags }: ProgramBuild): Promise<void> {
  await runGo(module, ['build', ...buildFlags(linkerFlags), '-o', output, path]);
}

const buildFlags = (linkerFlags = ''): string[] => [
  '-mod=readonly',
  '-trimpath',
  '-buildvcs=false',
  `-ldflags=${['-s', '-w', linkerFlags].join(' ').trim()}`,
];

/** Kubernetes gets its version from the linker; without it the API server reports v0.0.0-master. */
export function versionFlags(): string {
  const [major = '', minor = ''] = KUBERNETES_VERSION.split('.');
  const variables = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
  const homes = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return homes
    .flatMap((home) => Object.entries(variables).map(([name, value]) => `-X ${home}.${name}=${value}`))
    .join(' ');
}
