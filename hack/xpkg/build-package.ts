import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDockerArchive } from './images/docker-archive.ts';
import { type ContainerImage, platformName, platformOf } from './images/image.ts';
import { writeOciLayout } from './images/oci-layout.ts';
import { readDocuments } from './kubernetes-documents.ts';
import { packageImages } from './package-image.ts';
import { packageStream, yamlStream } from './package-stream.ts';

const NAME = 'provider-kyma';

export interface BuildPackageOptions {
  /** Of the repository: `package` and `examples` are below. */
  readonly root: string;
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

/** Builds the package into `package.yaml`, `provider-kyma.xpkg` and `oci`. The same sources give the same bytes. */
export async function buildPackage(options: BuildPackageOptions): Promise<BuiltPackage> {
  const { root, output, version, runtimes } = options;
  const description = descriptionOf(options);
  const contents = {
    labels: description,
    packageYaml: packageStream([
      ...(await readDocuments(root, 'package/crossplane.yaml')),
      ...(await readDocuments(root, 'package/crds/*.yaml')),
    ]),
    // The one for authors of other providers has a CRD of its own.
    examplesYaml: yamlStream(await readDocuments(root, 'examples/!(hello-*)/**/*.yaml')),
  };
  const images = await packageImages(contents, runtimes);
  await mkdir(output, { recursive: true });
  for (const name of await readdir(output)) {
    if (name.startsWith(NAME) && name.endsWith('.xpkg')) await rm(join(output, name));
  }
  const packageYaml = join(output, 'package.yaml');
  await writeFile(packageYaml, contents.packageYaml);
  const archives: string[] = [];
  for (const [position, image] of images.entries()) {
    const archive = join(output, archiveName(image, position));
    await writeFile(archive, await writeDockerArchive(image));
    archives.push(archive);
  }
  const layout = join(output, 'oci');
  await writeOciLayout(layout, images, { annotations: description, tag: `v${version}` });
  return { packageYaml, archives, layout };
}

function archiveName(image: ContainerImage, position: number): string {
  const platform = platformOf(image);
  if (position === 0 || platform === undefined) return `${NAME}.xpkg`;
  return `${NAME}-${platformName(platform).replaceAll('/', '-')}.xpkg`;
}

/**
 * Metadata that registries and catalogues show (OCI image-spec, annotations.md): annotations of the manifest, and
 * labels of the config, because `crossplane xpkg push -f` and `docker save` keep only the config.
 */
function descriptionOf({ version, source, revision }: BuildPackageOptions): Record<string, string> {
  return {
    'org.opencontainers.image.title': NAME,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(source ? { 'org.opencontainers.image.source': source } : {}),
    ...(revision ? { 'org.opencontainers.image.revision': revision } : {}),
  };
}
