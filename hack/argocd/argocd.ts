/**
 * Argo CD as a program, with its manifests and what stands for Redis. The first of these: the folder `ARGOCD_ASSETS`, the
 * cache, the official program and manifests, a build from Go modules. The Redis in memory has no download: it is built.
 */
import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { downloadRelease, downloadText, type NamedRelease } from '../control-planes/binaries/download.ts';
import { downloadOrBuild } from '../control-planes/binaries/download-or-build.ts';
import { fillFolder } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';
import { moduleFolder } from '../control-planes/binaries/go-command.ts';

/** To upgrade: see `build/argocd/go.mod`. */
export const ARGOCD_VERSION = '3.2.11';

const GO_MODULE = 'github.com/argoproj/argo-cd/v3';
const MODULE = join(import.meta.dirname, 'build/argocd');
const REDIS_MODULE = join(import.meta.dirname, 'build/redis');

/** Paths of files. */
export interface ArgoCd {
  /** All of Argo CD's components: the variable `ARGOCD_BINARY_NAME` says which of them it is. */
  readonly program: string;
  /** A Redis in memory: port 6379, with the password of `REDIS_PASSWORD`. */
  readonly redis: string;
  /** Argo CD's own, for an installation without its API server and its user interface. */
  readonly manifests: string;
}

export interface EnsureArgoCdOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces the network in tests. */
  readonly download?: (folder: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly build?: (folder: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly buildRedis?: (folder: string) => Promise<void>;
}

/** Finds Argo CD, or provides it. Several processes may call it concurrently. */
export async function ensureArgoCd(options: EnsureArgoCdOptions = {}): Promise<ArgoCd> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  const present = await findArgoCd(env);
  if (present !== undefined) return present;
  const cache = resolve(cacheRoot(env), 'argocd');
  const directory = join(cache, `argocd-${ARGOCD_VERSION}-${process.platform}-${process.arch}`);
  await fillFolder({
    cache,
    directory,
    isComplete: async () => (await argoCdIn(directory)) !== undefined,
    fill: (partial) => provide(partial, { ...options, report }),
    clock,
    report,
  });
  return partsOf(directory);
}

/** Argo CD of the folder that `ARGOCD_ASSETS` names. */
async function findArgoCd({ ARGOCD_ASSETS: given }: NodeJS.ProcessEnv): Promise<ArgoCd | undefined> {
  if (!given) return undefined;
  const found = await argoCdIn(resolve(given));
  if (found !== undefined) return found;
  throw new Error(`cannot use ARGOCD_ASSETS: ${given} lacks one of ${Object.values(FILES).join(', ')}`);
}

const FILES = { program: 'argocd', redis: 'redis', manifests: 'core-install.yaml' } as const;

const partsOf = (folder: string): ArgoCd => ({
  program: join(folder, FILES.program),
  redis: join(folder, FILES.redis),
  manifests: join(folder, FILES.manifests),
});

async function argoCdIn(folder: string): Promise<ArgoCd | undefined> {
  const found = partsOf(folder);
  const files = await Promise.all(Object.values(found).map((file) => stat(file).catch(() => undefined)));
  return files.every((file) => file?.isFile() === true) ? found : undefined;
}

async function provide(
  folder: string,
  options: EnsureArgoCdOptions & { readonly report: (line: string) => void },
): Promise<void> {
  const { report, download = downloadArgoCd(report), build = buildArgoCd } = options;
  const title = `Argo CD ${ARGOCD_VERSION}`;
  const wayOut = `set ARGOCD_ASSETS to a folder with ${Object.values(FILES).join(', ')}`;
  await downloadOrBuild({
    title,
    download: () => download(folder),
    onNoDownload: (reason) => report(`no download of ${title}: ${reason}; building it from Go modules`),
    build: () => build(folder),
    wayOut,
  });
  await (options.buildRedis ?? buildRedis)(folder).catch((cause: unknown) => {
    throw new Error(`cannot provide the Redis of ${title}: build: ${messageOf(cause)}; ${wayOut}`, { cause });
  });
}

const downloadArgoCd =
  (report: (line: string) => void) =>
  async (folder: string): Promise<void> => {
    await downloadRelease(release(), folder, { report });
    const url = `https://raw.githubusercontent.com/argoproj/argo-cd/v${ARGOCD_VERSION}/manifests/${FILES.manifests}`;
    await writeFile(partsOf(folder).manifests, await downloadText(url));
  };

function release(): NamedRelease {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (arch === undefined) throw new Error(`there is no official argocd for ${process.arch}`);
  const base = `https://github.com/argoproj/argo-cd/releases/download/v${ARGOCD_VERSION}`;
  const name = `argocd-linux-${arch}`;
  return {
    name: FILES.program,
    description: `argocd ${ARGOCD_VERSION}`,
    url: `${base}/${name}`,
    checksumUrl: `${base}/cli_checksums.txt`,
    checksumName: name,
  };
}

/** Takes several minutes on two cores with empty caches. */
async function buildArgoCd(folder: string): Promise<void> {
  const { program, manifests } = partsOf(folder);
  await buildProgram({
    module: MODULE,
    path: `${GO_MODULE}/cmd`,
    output: program,
    linkerFlags: `-X ${GO_MODULE}/common.version=${ARGOCD_VERSION}`,
  });
  await copyFile(join(await moduleFolder(MODULE, GO_MODULE), 'manifests', FILES.manifests), manifests);
}

const buildRedis = (folder: string): Promise<void> =>
  buildProgram({ module: REDIS_MODULE, path: '.', output: partsOf(folder).redis });
