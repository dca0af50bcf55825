import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type EnsureOptions,
  ensureProgram,
  findProgram,
  type Program,
} from '../control-planes/binaries/ensure-program.ts';
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

/**
 * The package of a function by its reference, `xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.7.0`: the path of a file or
 * of an OCI layout. Those are built that the module proxy has.
 */
export function functionProgram(reference: string): Program<string> {
  const [, name = reference, tag = ''] = /([^/:]+):([^:/]+)$/.exec(reference) ?? [];
  return {
    title: `${name} ${tag}`,
    variable: 'FUNCTION_PACKAGES',
    own: `a folder with ${name}.xpkg`,
    isOwnOptional: true,
    atPath: async (folder) => {
      const file = join(folder, `${name}.xpkg`);
      return (await isFile(file)) ? file : layout(join(folder, name));
    },
    cache: ['crossplane', `${name}-${tag}-${process.arch}`],
    inFolder: layout,
    download: (folder) => copyImage(reference, folder),
    build: (folder) => buildFunction(name, tag, folder),
  };
}

/** The images of a function's package. */
export const ensureFunction = async (reference: string, options?: EnsureOptions): Promise<ContainerImage[]> =>
  readImages([await ensureProgram(functionProgram(reference), options)]);

/** Path of a function's package, if it needs neither a download nor a build. */
export const findFunction = (reference: string): Promise<string | undefined> =>
  findProgram(functionProgram(reference));

const layout = async (folder: string): Promise<string | undefined> =>
  (await isFile(join(folder, 'index.json'))) ? folder : undefined;

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

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
