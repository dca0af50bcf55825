/**
 * Packages of Crossplane functions. The first of these: the folder `FUNCTION_PACKAGES`, the cache, the official package (by
 * skopeo), a build from Go modules, for those that the module proxy has.
 */
import { access, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { downloadOrBuild } from '../control-planes/binaries/download-or-build.ts';
import { fillFolder } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';
import { moduleFolder } from '../control-planes/binaries/go-command.ts';
import { programImage } from '../node/registry/program-image.ts';
import type { ContainerImage } from '../xpkg/images/image.ts';
import { writeOciLayout } from '../xpkg/images/oci-layout.ts';
import { readImages } from '../xpkg/images/read-images.ts';
import { readDocuments } from '../xpkg/kubernetes-documents.ts';
import { packageImages } from '../xpkg/package-image.ts';
import { packageStream } from '../xpkg/package-stream.ts';
import { copyImage } from './copy-image.ts';

/** Functions that can be built, each with a Go module that pins its version, and the path of its own module. */
const BUILDABLE: Readonly<Record<string, string>> = {
  'function-auto-ready': 'github.com/crossplane/function-auto-ready',
};

const moduleOf = (name: string) => join(import.meta.dirname, 'build', name);

export interface EnsureFunctionOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces the network in tests. */
  readonly download?: (reference: string, folder: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly build?: (name: string, tag: string, folder: string) => Promise<void>;
}

/**
 * The images of a function's package, by its reference: `xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.7.0`.
 *
 * @throws with what was tried, and the way out
 */
export async function ensureFunction(
  reference: string,
  options: EnsureFunctionOptions = {},
): Promise<ContainerImage[]> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  const present = await findFunction(reference, env);
  if (present !== undefined) return readImages([present]);
  const directory = cacheFolder(reference, env);
  await fillFolder({
    cache: resolve(cacheRoot(env), 'crossplane'),
    directory,
    isComplete: () => isLayout(directory),
    fill: (partial) => provide(reference, partial, { ...options, report }),
    clock,
    report,
  });
  return readImages([directory]);
}

/** Path of a function's package, if it needs neither a download nor a build. */
export async function findFunction(
  reference: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const { name } = partsOf(reference);
  if (env.FUNCTION_PACKAGES) {
    const file = resolve(env.FUNCTION_PACKAGES, `${name}.xpkg`);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
    const layout = resolve(env.FUNCTION_PACKAGES, name);
    if (await isLayout(layout)) return layout;
  }
  const cached = cacheFolder(reference, env);
  return (await isLayout(cached)) ? cached : undefined;
}

const partsOf = (reference: string) => {
  const [, name = reference, tag = ''] = /([^/:]+):([^:/]+)$/.exec(reference) ?? [];
  return { name, tag };
};

function cacheFolder(reference: string, env: NodeJS.ProcessEnv): string {
  const { name, tag } = partsOf(reference);
  return resolve(cacheRoot(env), 'crossplane', `${name}-${tag}-${process.arch}`);
}

const isLayout = (folder: string): Promise<boolean> =>
  stat(join(folder, 'index.json')).then(
    (found) => found.isFile(),
    () => false,
  );

async function provide(
  reference: string,
  folder: string,
  options: EnsureFunctionOptions & { readonly report: (line: string) => void },
): Promise<void> {
  const { report, download = copyImage, build = buildFunction } = options;
  const { name, tag } = partsOf(reference);
  await downloadOrBuild({
    title: `${name} ${tag}`,
    download: () => download(reference, folder),
    onNoDownload: (reason) => report(`no download of ${reference}: ${reason}`),
    build: () => build(name, tag, folder),
    wayOut: `set FUNCTION_PACKAGES to a folder with ${name}.xpkg`,
  });
}

async function buildFunction(name: string, tag: string, folder: string): Promise<void> {
  const path = BUILDABLE[name];
  const module = moduleOf(name);
  if (path === undefined) throw new Error('no Go module pins it');
  if (!(await readFile(join(module, 'go.mod'), 'utf8')).includes(` ${tag}\n`)) {
    throw new Error(`build/${name} pins another version`);
  }
  const program = join(folder, 'program');
  await buildProgram({ module, path, output: program });
  const images = await functionPackage(program, await moduleFolder(module, path));
  await writeOciLayout(folder, images, { annotations: {}, tag });
}

/**
 * A function's package of its program and its sources, whose folder `package` has metadata and the CRD of its input.
 *
 * @param program path of one that needs no libraries
 */
export async function functionPackage(program: string, sources: string): Promise<ContainerImage[]> {
  const runtime = await programImage({
    path: '/function',
    file: program,
    config: { ExposedPorts: { '9443/tcp': {} } },
  });
  const packageYaml = packageStream([
    ...(await readDocuments(sources, 'package/crossplane.yaml')),
    ...(await readDocuments(sources, 'package/input/*.yaml')),
  ]);
  return packageImages({ packageYaml }, [runtime]);
}
