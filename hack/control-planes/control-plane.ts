import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { accessControlPlane, type ControlPlaneAccess, FILES } from './access/access.ts';
import { apiRequester } from './access/api-request.ts';
import type { Authority } from './access/authority.ts';
import { writeCredentials, writePrivate } from './access/credentials.ts';
import { httpJson } from './access/http-json.ts';
import { type Binaries, ensureBinaries } from './binaries/binaries.ts';
import type { Server } from './binaries/versions.ts';
import { freePort } from './process/free-port.ts';
import { PortTakenError, type ServerProcess, startServerProcess } from './process/server-process.ts';
import { startWatchdog } from './process/watchdog.ts';
import {
  apiServerFlags,
  CONTROLLER_MANAGER_FLAGS,
  ETCD_FLAGS,
  type Flags,
  renderFlags,
} from './server-flags.ts';

/*
 * A control plane is a real Kubernetes API without nodes: etcd, kube-apiserver, and of the controllers in
 * kube-controller-manager those that users of the API notice (garbage collection, namespace deletion, default service
 * accounts, aggregated cluster roles). No pod ever runs. It starts in a few seconds and takes one port.
 *
 * No envtest library is used because tests need what such libraries hide: crash, freeze and restart the API server on
 * the same port and data, create users from another process, read etcd, and leave no processes after a killed test run
 * (watchdog.ts).
 */

export interface ControlPlaneOptions {
  /** Names the cluster in its kubeconfig and its directory: `management`. */
  readonly name: string;
  /** Default: those that ensureBinaries finds or makes. */
  readonly binaries?: Binaries;
  /** PEM of authorities whose clients the API server knows besides its own; default: none. */
  readonly clientAuthorities?: readonly string[];
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Gives the start up and leaves nothing behind. What has started is stopped by `stop`, not by this. */
  readonly signal?: AbortSignal;
  /** Of the API server, on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** DNS names and IP addresses of the API server, besides those of this machine. */
  readonly serverNames?: readonly string[];
  /** Called with the authority of the control plane before the servers start; returns flags that they get in addition. */
  readonly prepare?: (authority: Authority, directory: string) => Promise<ServerFlags>;
}

/** Flags that replace or add to those of a control plane without nodes. */
export type ServerFlags = Partial<Readonly<Record<Server, Flags>>>;

export interface ControlPlane extends ControlPlaneAccess {
  /** Ends the API server as a crash does; with SIGTERM in order. The data stays. */
  stopApiServer(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and data, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** The server accepts connections and does not respond, until the returned function is called. */
  freeze(server: Server): Promise<() => void>;
  /** Ends all processes and removes everything they stored. */
  stop(): Promise<void>;
}

/** A free port can be taken before the server binds it; after this many attempts the cause is another one. */
const PORT_ATTEMPTS = 5;

/** Starts a control plane and waits until its API and its controllers work. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { name, report = () => undefined, clock = systemClock, signal, clientAuthorities = [] } = options;
  const { paths } = options.binaries ?? (await ensureBinaries({ report, clock }));
  const directory = await mkdtemp(join(tmpdir(), `kyma-${name}-`));
  const endWatchdog = startWatchdog(directory);
  const servers = new Map<Server, ServerProcess>();

  const start = async (server: Server, flags: Flags, isReady: () => Promise<boolean>) => {
    const args = renderFlags(flags);
    const run = { name: server, command: paths[server], args, directory, clock, isReady, signal };
    servers.set(server, await startServerProcess(run));
  };
  const stop = async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    await endWatchdog();
  };

  try {
    const { authority, kubeconfigFor } = await writeCredentials(name, directory, options.serverNames);
    const added = (await options.prepare?.(authority, directory)) ?? {};
    const answers = async (port: number, path: string) =>
      (await apiRequester(kubeconfigFor('probe', serverOn(port)))(path)).status === 200;
    const authorities = [await readFile(join(directory, FILES.authority), 'utf8'), ...clientAuthorities];
    await writePrivate(directory, 'clientAuthorities', authorities.join('\n'));
    const serve = (port: number) =>
      start('kube-apiserver', { ...apiServerFlags(port), ...added['kube-apiserver'] }, () =>
        answers(port, '/readyz'),
      );

    await start('etcd', { ...ETCD_FLAGS, ...added.etcd }, () => isEtcdHealthy(directory));
    const port = await onPort(options.port, serve);
    const server = serverOn(port);
    await writePrivate(directory, 'kubeconfig', kubeconfigFor('admin', server));
    await writePrivate(directory, 'controllersKubeconfig', kubeconfigFor('controllers', server));
    // A default service account shows that the controllers work.
    const controllerFlags = { ...CONTROLLER_MANAGER_FLAGS, ...added['kube-controller-manager'] };
    await start('kube-controller-manager', controllerFlags, () =>
      answers(port, '/api/v1/namespaces/default/serviceaccounts/default'),
    );

    return {
      ...(await accessControlPlane({ name, server, directory })),
      stopApiServer: async (signal) => servers.get('kube-apiserver')?.stop(signal),
      startApiServer: () => serve(port),
      freeze: async (frozen) => (await servers.get(frozen)?.freeze()) ?? (() => undefined),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const serverOn = (port: number): string => `https://127.0.0.1:${port}`;

async function isEtcdHealthy(directory: string): Promise<boolean> {
  const socketPath = join(directory, FILES.etcdSocket);
  return (await httpJson({ url: 'http://etcd/health', socketPath })).status === 200;
}

async function onPort(given: number | undefined, serve: (port: number) => Promise<void>): Promise<number> {
  if (given === undefined) return onFreePort(serve);
  await serve(given);
  return given;
}

/** Another server on the port does not count: its certificate is from another authority. */
export async function onFreePort(serve: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      await serve(port);
      return port;
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
