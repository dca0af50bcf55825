import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type Clock, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { downloadServer } from './download.ts';
import { fillFolder, isExecutable } from './fill-folder.ts';
import { buildServers } from './go-build.ts';
import { describeServer, ETCD_VERSION, KUBERNETES_VERSION, SERVERS, type Server } from './versions.ts';

/*
 * The sources of the control plane's binaries. The first place that has all of them wins:
 *
 * 1. `KUBEBUILDER_ASSETS`, the folder that Kubernetes projects use; 2. a cache outside the repository, by version; 3.
 * the official download, checked against the published checksums, into the cache; 4. a build from Go modules, for
 * machines that reach a module proxy only, into the cache.
 */

export interface Binaries {
  /** Absolute path of each server's binary. */
  readonly paths: Readonly<Record<Server, string>>;
  /** The folder of the binaries. */
  readonly directory: string;
}

/** Puts the named servers into `directory` under their own names, or fails. */
export type Provision = (servers: readonly Server[], directory: string) => Promise<void>;

export interface EnsureBinariesOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work; never called when the binaries exist. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  readonly download?: (server: Server, directory: string) => Promise<void>;
  readonly build?: Provision;
}

/** Finds the binaries, or provides them. Several processes may call it concurrently. */
export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  if (env.KUBEBUILDER_ASSETS) {
    // Servers run in folders of their own, where a relative path means something else.
    const assets = resolve(env.KUBEBUILDER_ASSETS);
    const missing = await missingFrom(assets);
    if (missing.length === 0) return binariesIn(assets);
    report(`KUBEBUILDER_ASSETS is not used: it has no ${missing.join(', no ')}`);
  }
  const cache = resolve(cacheRoot(env), 'control-planes');
  const directory = join(cache, cacheKey());
  await fillFolder({
    cache,
    directory,
    isComplete: async () => (await missingFrom(directory)).length === 0,
    fill: (partial) => provide(partial, { ...options, clock, report }),
    clock,
    report,
  });
  return binariesIn(directory);
}

const binariesIn = (directory: string): Binaries => ({
  directory,
  paths: {
    etcd: join(directory, 'etcd'),
    'kube-apiserver': join(directory, 'kube-apiserver'),
    'kube-controller-manager': join(directory, 'kube-controller-manager'),
  },
});

/**
 * The folder of files that are shared by all checkouts: `$PROVIDER_KYMA_CACHE`, else below `$XDG_CACHE_HOME` or
 * `~/.cache`.
 */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  return env.PROVIDER_KYMA_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'provider-kyma');
}

/** One folder per version and machine type, so an upgrade never uses old binaries. */
export const cacheKey = (): string =>
  `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-${process.platform}-${process.arch}`;

/** Downloads what can be downloaded and builds the rest. */
async function provide(
  directory: string,
  options: EnsureBinariesOptions & { clock: Clock; report: (line: string) => void },
): Promise<void> {
  const { clock, report } = options;
  const download = options.download ?? ((server, into) => downloadServer(server, into, { report }));
  const build = options.build ?? ((servers, into) => buildServers(servers, into, report));
  const startedAt = clock.monotonic();
  const results = await Promise.allSettled(SERVERS.map((server) => download(server, directory)));
  const failed = SERVERS.filter((_, i) => results[i]?.status === 'rejected');
  const causes = results.flatMap((r) => (r.status === 'rejected' ? [messageOf(r.reason)] : []));
  if (failed.length > 0) {
    report(`no download of ${failed.map(describeServer).join(', ')}: ${causes[0]}`);
    try {
      await build(failed, directory);
    } catch (error) {
      throw new Error(
        `cannot provide ${failed.join(', ')}: download: ${causes[0]}; build: ${messageOf(error)}; ` +
          'set KUBEBUILDER_ASSETS to a folder that has them',
        { cause: error },
      );
    }
  }
  const missing = await missingFrom(directory);
  if (missing.length > 0) throw new Error(`cannot provide ${missing.join(', ')}: no file came of it`);
  report(`control-plane binaries are ready after ${Math.round((clock.monotonic() - startedAt) / 1000)} s`);
}

async function missingFrom(directory: string): Promise<Server[]> {
  const present = await Promise.all(SERVERS.map((server) => isExecutable(join(directory, server))));
  return SERVERS.filter((_, i) => !present[i]);
}
