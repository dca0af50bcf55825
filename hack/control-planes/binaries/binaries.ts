import { join } from 'node:path';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { downloadServer } from './download.ts';
import { type EnsureOptions, ensureProgram, MACHINE, type Program } from './ensure-program.ts';
import { isExecutable } from './fill-folder.ts';
import { buildServers } from './go-build.ts';
import { ETCD_VERSION, KUBERNETES_VERSION, SERVERS, type Server } from './versions.ts';

export interface Binaries {
  /** Absolute path of each server's binary. */
  readonly paths: Readonly<Record<Server, string>>;
  /** The folder of the binaries. */
  readonly directory: string;
}

/** The servers of a control plane. `KUBEBUILDER_ASSETS` is the folder that Kubernetes projects use, often without one of them. */
export const SERVERS_PROGRAM: Program<Binaries> = {
  title: `etcd ${ETCD_VERSION}, kube-apiserver and kube-controller-manager ${KUBERNETES_VERSION}`,
  variable: 'KUBEBUILDER_ASSETS',
  own: `a folder with ${SERVERS.join(', ')}`,
  isOwnOptional: true,
  cache: ['control-planes', `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-${MACHINE}`],
  inFolder: async (directory) => {
    if ((await missingFrom(directory)).length > 0) return undefined;
    const path = (server: Server) => join(directory, server);
    return {
      directory,
      paths: {
        etcd: path('etcd'),
        'kube-apiserver': path('kube-apiserver'),
        'kube-controller-manager': path('kube-controller-manager'),
      },
    };
  },
  // Each that can be downloaded is not built.
  download: async (directory, report) => {
    const results = await Promise.allSettled(
      SERVERS.map((server) => downloadServer(server, directory, { report })),
    );
    const causes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (causes.length > 0) throw new Error(messageOf(causes[0]), { cause: causes[0] });
  },
  build: async (directory) => buildServers(await missingFrom(directory), directory),
};

async function missingFrom(directory: string): Promise<Server[]> {
  const present = await Promise.all(SERVERS.map((server) => isExecutable(join(directory, server))));
  return SERVERS.filter((_, i) => !present[i]);
}

export const ensureBinaries = (options?: EnsureOptions): Promise<Binaries> =>
  ensureProgram(SERVERS_PROGRAM, options);
