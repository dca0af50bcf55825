/**
 * Crossplane as an image and a chart. The first of these: the folder `CROSSPLANE_ASSETS`, the cache, the official image
 * and chart (by skopeo and Helm), a build from Go modules.
 */
import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { downloadOrBuild } from '../control-planes/binaries/download-or-build.ts';
import { fillFolder } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';
import { moduleFolder } from '../control-planes/binaries/go-command.ts';
import { ensureHelm } from '../helm/helm.ts';
import { programImage } from '../node/registry/program-image.ts';
import { writeOciLayout } from '../xpkg/images/oci-layout.ts';
import type { TarMember } from '../xpkg/images/tar-archive.ts';
import { copyImage, runTool } from './copy-image.ts';

/** To upgrade: see `build/core/go.mod`. */
export const CROSSPLANE_VERSION = '2.3.4';

/** The image that the chart names. */
export const CROSSPLANE_IMAGE = `xpkg.crossplane.io/crossplane/crossplane:v${CROSSPLANE_VERSION}`;

const GO_MODULE = 'github.com/crossplane/crossplane/v2';
const RUNTIME_MODULE = 'github.com/crossplane/crossplane-runtime/v2';

/** The Go module that pins the version. */
const MODULE = join(import.meta.dirname, 'build/core');

const CHARTS = 'https://charts.crossplane.io/stable';

export interface Crossplane {
  /** Folder of an OCI layout. */
  readonly image: string;
  /** Folder of a Helm chart. */
  readonly chart: string;
}

export interface EnsureCrossplaneOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces the network in tests. */
  readonly download?: (folder: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly build?: (folder: string) => Promise<void>;
}

/** Finds Crossplane, or provides it. Several processes may call it concurrently. */
export async function ensureCrossplane(options: EnsureCrossplaneOptions = {}): Promise<Crossplane> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  const present = await findCrossplane(env);
  if (present !== undefined) return present;
  const directory = cacheFolder(env);
  await fillFolder({
    cache: resolve(cacheRoot(env), 'crossplane'),
    directory,
    isComplete: async () => (await crossplaneIn(directory)) !== undefined,
    fill: (partial) => provide(partial, { ...options, report }),
    clock,
    report,
  });
  return partsOf(directory);
}

/** Crossplane, if it needs neither a download nor a build. */
export async function findCrossplane(env: NodeJS.ProcessEnv = process.env): Promise<Crossplane | undefined> {
  const given = env.CROSSPLANE_ASSETS;
  if (given) {
    const found = await crossplaneIn(resolve(given));
    if (found === undefined) throw new Error(`cannot use CROSSPLANE_ASSETS: ${given} has no image and chart`);
    return found;
  }
  return crossplaneIn(cacheFolder(env));
}

const cacheFolder = (env: NodeJS.ProcessEnv) =>
  resolve(cacheRoot(env), 'crossplane', `crossplane-${CROSSPLANE_VERSION}-${process.arch}`);

const partsOf = (folder: string): Crossplane => ({
  image: join(folder, 'image'),
  chart: join(folder, 'chart'),
});

async function crossplaneIn(folder: string): Promise<Crossplane | undefined> {
  const found = partsOf(folder);
  const files = [join(found.image, 'index.json'), join(found.chart, 'Chart.yaml')];
  const there = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return there.every((each) => each !== undefined) ? found : undefined;
}

async function provide(
  folder: string,
  options: EnsureCrossplaneOptions & { readonly report: (line: string) => void },
): Promise<void> {
  const { report, download = downloadCrossplane, build = buildCrossplane } = options;
  const title = `Crossplane ${CROSSPLANE_VERSION}`;
  await downloadOrBuild({
    title,
    download: () => download(folder),
    onNoDownload: (reason) => report(`no download of ${title}: ${reason}; building it from Go modules`),
    build: () => build(folder),
    wayOut: 'set CROSSPLANE_ASSETS to a folder with an OCI layout image and a Helm chart chart',
  });
  await rm(join(folder, 'program'), { force: true });
  if ((await crossplaneIn(folder)) === undefined)
    throw new Error(`cannot provide ${title}: no file came of it`);
}

async function downloadCrossplane(folder: string): Promise<void> {
  const { image } = partsOf(folder);
  await copyImage(CROSSPLANE_IMAGE, image);
  const helm = await ensureHelm();
  const version = ['--version', CROSSPLANE_VERSION, '--untar', '--untardir', folder];
  await runTool(helm, ['pull', 'crossplane', '--repo', CHARTS, ...version]);
  await cp(join(folder, 'crossplane'), join(folder, 'chart'), { recursive: true });
}

/** The image as Crossplane's own build makes it: the program with its CRDs and its webhook configurations. */
async function buildCrossplane(folder: string): Promise<void> {
  const { image, chart } = partsOf(folder);
  const program = join(folder, 'program');
  await buildProgram({
    module: MODULE,
    path: `${GO_MODULE}/cmd/crossplane`,
    output: program,
    // Core refuses packages with a version constraint if it does not know its own version.
    linkerFlags: `-X ${RUNTIME_MODULE}/pkg/version.version=v${CROSSPLANE_VERSION}`,
  });
  const sources = join(await moduleFolder(MODULE, GO_MODULE), 'cluster');
  const files = [
    ...(await membersOf(join(sources, 'crds'), 'crds')),
    ...(await membersOf(join(sources, 'webhookconfigurations'), 'webhookconfigurations')),
  ];
  const built = await programImage({ path: '/bin/crossplane', file: program, files });
  await writeOciLayout(image, [built], { annotations: {}, tag: `v${CROSSPLANE_VERSION}` });
  await mkdir(chart);
  // Files of the module cache are read-only.
  await runTool('cp', ['-R', `${join(sources, 'charts/crossplane')}/.`, chart]);
  await runTool('chmod', ['-R', 'u+w', chart]);
}

async function membersOf(folder: string, name: string): Promise<TarMember[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    files
      .sort()
      .map(async (file) => ({ name: `${name}${file.slice(folder.length)}`, bytes: await readFile(file) })),
  );
}
