/** The tarball of `docker save`, which is also the format of an `.xpkg` file. */
import type { ContainerImage } from './container-image.ts';
import { hexOf, jsonBlob } from './image-blob.ts';
import { existingLayer } from './layer.ts';
import type { ImageConfig } from './oci-image.ts';
import { readTar, type TarMember, writeTar } from './tar-archive.ts';

interface ArchivedImage {
  /** Name of the member that holds the config. */
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  /** Names of the members that hold the layers, the lowest first. */
  readonly Layers: readonly string[];
}

export async function writeDockerArchive(image: ContainerImage): Promise<Uint8Array> {
  const config = jsonBlob(image.config);
  const layers = new Map(image.layers.map(({ blob }) => [`${hexOf(blob.digest)}.tar.gz`, blob.bytes]));
  const contents: readonly ArchivedImage[] = [
    {
      Config: config.digest,
      RepoTags: null,
      Layers: image.layers.map(({ blob }) => `${hexOf(blob.digest)}.tar.gz`),
    },
  ];
  const members: TarMember[] = [{ name: config.digest, bytes: config.bytes }];
  // Two layers with the same content are one member.
  for (const [name, bytes] of layers) members.push({ name, bytes });
  members.push({ name: 'manifest.json', bytes: jsonBlob(contents).bytes });
  return writeTar(members);
}

/** The images in a tarball, as `docker save`, `podman save`, `crane pull` and `bazel` write them. */
export async function readDockerArchive(bytes: Uint8Array): Promise<ContainerImage[]> {
  const files = await readTar(bytes);
  const file = (name: string): Uint8Array => {
    const content = files.get(name);
    if (content === undefined) throw new Error(`the tarball has no ${name}; \`docker save\` writes one`);
    return content;
  };
  const json = (name: string): unknown => JSON.parse(Buffer.from(file(name)).toString('utf8'));
  return (json('manifest.json') as ArchivedImage[]).map(({ Config, Layers }) => {
    const config = json(Config) as ImageConfig;
    return { config, layers: pairLayers(config, Layers.map(file)) };
  });
}

/** Layers with the identities that the config gives them. */
export function pairLayers(config: ImageConfig, contents: readonly Uint8Array[]): ContainerImage['layers'] {
  const ids = config.rootfs.diff_ids;
  if (ids.length !== contents.length) {
    throw new Error(`the image has ${contents.length} layers, its config names ${ids.length}`);
  }
  return contents.map((bytes, position) => existingLayer(bytes, ids[position] ?? ''));
}
