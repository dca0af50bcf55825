import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadRelease, downloadText, type NamedRelease } from '../control-planes/binaries/download.ts';
import {
  type EnsureOptions,
  ensureProgram,
  MACHINE,
  type Program,
} from '../control-planes/binaries/ensure-program.ts';
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

const FILES = { program: 'argocd', redis: 'redis', manifests: 'core-install.yaml' } as const;

const partsOf = (folder: string): ArgoCd => ({
  program: join(folder, FILES.program),
  redis: join(folder, FILES.redis),
  manifests: join(folder, FILES.manifests),
});

async function argoCdIn(folder: string): Promise<ArgoCd | undefined> {
  const found = partsOf(folder);
  const files = await Promise.all(Object.values(found).map(isFile));
  return files.every(Boolean) ? found : undefined;
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Argo CD as a program, with its manifests and what stands for Redis, which has no download. */
export const ARGOCD: Program<ArgoCd> = {
  title: `Argo CD ${ARGOCD_VERSION}`,
  variable: 'ARGOCD_ASSETS',
  own: `a folder with ${Object.values(FILES).join(', ')}`,
  cache: ['argocd', `argocd-${ARGOCD_VERSION}-${MACHINE}`],
  inFolder: argoCdIn,
  download: async (folder, report) => {
    await downloadRelease(release(), folder, { report });
    const url = `https://raw.githubusercontent.com/argoproj/argo-cd/v${ARGOCD_VERSION}/manifests/${FILES.manifests}`;
    await writeFile(partsOf(folder).manifests, await downloadText(url));
  },
  build: async (folder) => {
    const { program, redis, manifests } = partsOf(folder);
    if (!(await isFile(program)) || !(await isFile(manifests))) await buildArgoCd(folder);
    await buildProgram({ module: REDIS_MODULE, path: '.', output: redis });
  },
};

export const ensureArgoCd = (options?: EnsureOptions): Promise<ArgoCd> => ensureProgram(ARGOCD, options);

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
