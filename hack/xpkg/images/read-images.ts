import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { readDockerArchive } from './docker-archive.ts';
import { type ContainerImage, platformName, platformOf } from './image.ts';
import { readOciLayout } from './oci-layout.ts';

/** The platform that Crossplane takes from an index, independent of the nodes. */
const CROSSPLANE_PLATFORM = 'linux/amd64';

/**
 * Reads images for a package, each path a tarball of `docker save` or the folder of an OCI layout, with one or
 * several platforms inside. linux/amd64 comes first. Throws if it is missing, or a platform comes twice, or an image
 * would start nothing: a package's Deployment has neither command nor arguments.
 */
export async function readImages(paths: readonly string[]): Promise<ContainerImage[]> {
  const byPlatform = new Map<string, ContainerImage>();
  for (const path of paths) {
    for (const image of await imagesAt(path)) {
      const platform = platformOf(image);
      if (platform === undefined) throw new Error(`cannot use image ${path}: it is for no platform`);
      const name = platformName(platform);
      if (byPlatform.has(name)) throw new Error(`cannot use image ${path}: there are two for ${name}`);
      if (!image.config.config?.Entrypoint?.length) {
        throw new Error(`cannot use image ${path}: it has no ENTRYPOINT`);
      }
      byPlatform.set(name, image);
    }
  }
  const first = byPlatform.get(CROSSPLANE_PLATFORM);
  if (first === undefined) {
    const names = [...byPlatform.keys()].join(', ') || 'nothing';
    throw new Error(
      `cannot make a package for ${names}: Crossplane always asks for ${CROSSPLANE_PLATFORM}, give that too`,
    );
  }
  byPlatform.delete(CROSSPLANE_PLATFORM);
  const others = [...byPlatform].sort(([a], [b]) => (a < b ? -1 : 1));
  return [first, ...others.map(([, image]) => image)];
}

async function imagesAt(path: string): Promise<ContainerImage[]> {
  try {
    if ((await stat(path)).isDirectory()) return await readOciLayout(path);
    return await readDockerArchive(await readFile(path));
  } catch (error) {
    throw new Error(`cannot read image ${path}: ${messageOf(error)}`, { cause: error });
  }
}
