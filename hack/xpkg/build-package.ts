import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDockerArchive } from './images/docker-archive.ts';
import { type ContainerImage, platformName, platformOf } from './images/image.ts';
import { writeOciLayout } from './images/oci-layout.ts';
import { readDocuments } from './kubernetes-documents.ts';
import { packageImages } from './package-image.ts';
import { packageStream, yamlStream } from './package-stream.ts';

/** What a package is made of. Patterns are relative to the root. */
export interface PackageSource {
  /** Of the files, and for catalogues. */
  readonly name: string;
  /** An SPDX expression. */
  readonly license?: string | undefined;
  /** The file with the meta object. */
  readonly meta: string;
  /** The files with CRDs and webhook configurations. */
  readonly contents: readonly string[];
  /** The files with examples, for catalogues. Default: none. */
  readonly examples?: string | undefined;
}

export interface BuildPackageOptions {
  /** Folder of the sources. */
  readonly root: string;
  readonly package: PackageSource;
  /** Folder for the results; made if missing. What lies beside them stays. */
  readonly output: string;
  /** Semantic version without a `v`. */
  readonly version: string;
  /** The runtime, one image a platform, linux/amd64 first; none: the package has no runtime. */
  readonly runtimes: readonly ContainerImage[];
  /** Where the sources are, for catalogues: `https://host/owner/repository`. */
  readonly source?: string | undefined;
  /** Commit of the sources. */
  readonly revision?: string | undefined;
}

export interface BuiltPackage {
  /** The file of package.yaml. */
  readonly packageYaml: string;
  /** One tarball a platform, the first for linux/amd64. */
  readonly archives: readonly string[];
  /** Folder of the OCI layout with all platforms. */
  readonly layout: string;
}

/** Builds a package into `package.yaml`, `<name>.xpkg` and `oci`. The same sources give the same bytes. */
export async function buildPackage(options: BuildPackageOptions): Promise<BuiltPackage> {
  const { root, output, version, runtimes } = options;
  const { name, meta, contents: patterns, examples } = options.package;
  const description = descriptionOf(options);
  const contents = {
    labels: description,
    packageYaml: packageStream([
      ...(await readDocuments(root, meta)),
      ...(await Promise.all(patterns.map((pattern) => readDocuments(root, pattern)))).flat(),
    ]),
    ...(examples === undefined ? {} : { examplesYaml: yamlStream(await readDocuments(root, examples)) }),
  };
  const images = await packageImages(contents, runtimes);
  await mkdir(output, { recursive: true });
  for (const file of await readdir(output)) {
    if (file.startsWith(name) && file.endsWith('.xpkg')) await rm(join(output, file));
  }
  const packageYaml = join(output, 'package.yaml');
  await writeFile(packageYaml, contents.packageYaml);
  const archives: string[] = [];
  for (const [position, image] of images.entries()) {
    const archive = join(output, archiveName(name, image, position));
    await writeFile(archive, await writeDockerArchive(image));
    archives.push(archive);
  }
  const layout = join(output, 'oci');
  await writeOciLayout(layout, images, { annotations: description, tag: `v${version}` });
  return { packageYaml, archives, layout };
}

function archiveName(name: string, image: ContainerImage, position: number): string {
  const platform = platformOf(image);
  if (position === 0 || platform === undefined) return `${name}.xpkg`;
  return `${name}-${platformName(platform).replaceAll('/', '-')}.xpkg`;
}

/**
 * Metadata that registries and catalogues show (OCI image-spec, annotations.md): annotations of the manifest, and
 * labels of the config, because `crossplane xpkg push -f` and `docker save` keep only the config.
 */
function descriptionOf(options: BuildPackageOptions): Record<string, string> {
  const { version, source, revision } = options;
  const { name, license } = options.package;
  return {
    'org.opencontainers.image.title': name,
    'org.opencontainers.image.version': version,
    ...(license ? { 'org.opencontainers.image.licenses': license } : {}),
    ...(source ? { 'org.opencontainers.image.source': source } : {}),
    ...(revision ? { 'org.opencontainers.image.revision': revision } : {}),
  };
}
