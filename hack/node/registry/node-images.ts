import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContainerImage } from '../../xpkg/images/image.ts';
import { writeOciLayout } from '../../xpkg/images/oci-layout.ts';

/** The parts of an image's reference: `<host>/<name>:<tag>`. */
export interface ImageName {
  /** Of the registry that the reference names; `docker.io` where it names none. */
  readonly host: string;
  readonly name: string;
  readonly tag: string;
}

/** The images of a node's registry. */
export interface NodeImages {
  /** Adds an image, one for each platform. */
  publish(name: ImageName, images: readonly ContainerImage[]): Promise<void>;
  /** The folder for an image's OCI layout, for tools that write it. */
  folderOf(name: ImageName): Promise<string>;
}

/** @param folder that the registry serves */
export function imagesOf(folder: string): NodeImages {
  const folderOf = async ({ host, name, tag }: ImageName) => {
    const layout = join(folder, host, name, tag);
    await mkdir(dirname(layout), { recursive: true });
    return layout;
  };
  return {
    folderOf,
    publish: async (name, images) =>
      writeOciLayout(await folderOf(name), images, { annotations: {}, tag: name.tag }),
  };
}

/** @throws if it has no tag */
export function imageName(reference: string): ImageName {
  const match = /^(?:(?<host>[^/]*[.:][^/]*)\/)?(?<name>[^:@]+):(?<tag>[^:@/]+)$/.exec(reference);
  const { host = 'docker.io', name, tag } = match?.groups ?? {};
  if (name === undefined || tag === undefined) throw new Error(`${reference} is no image with a tag`);
  return { host, name: host === 'docker.io' && !name.includes('/') ? `library/${name}` : name, tag };
}
