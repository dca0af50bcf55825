import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type EnsureOptions,
  ensureProgram,
  type Program,
} from '../control-planes/binaries/ensure-program.ts';
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

/** Crossplane as an image and a chart; they are downloaded by skopeo and Helm. */
export const CROSSPLANE: Program<Crossplane> = {
  title: `Crossplane ${CROSSPLANE_VERSION}`,
  variable: 'CROSSPLANE_ASSETS',
  own: 'a folder with an OCI layout image and a Helm chart chart',
  cache: ['crossplane', `crossplane-${CROSSPLANE_VERSION}-${process.arch}`],
  inFolder: crossplaneIn,
  download: downloadCrossplane,
  build: buildCrossplane,
};

export const ensureCrossplane = (options?: EnsureOptions): Promise<Crossplane> =>
  ensureProgram(CROSSPLANE, options);

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
  await rm(program);
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
