/** The tarball of `docker save`, which is also the format of an `.xpkg` file. */
import { type ContainerImage, existingImage, hexOf, type ImageConfig, jsonBlob } from './image.ts';
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
  const layers = image.layers.map(
    ({ blob }): TarMember => ({ name: `${hexOf(blob.digest)}.tar.gz`, ...blob }),
  );
  const Layers = layers.map(({ name }) => name);
  const contents: readonly ArchivedImage[] = [{ Config: config.digest, RepoTags: null, Layers }];
  return writeTar([
    { name: config.digest, bytes: config.bytes },
    // Two layers with the same content are one member.
    ...new Map(layers.map((layer) => [layer.name, layer])).values(),
    { name: 'manifest.json', bytes: jsonBlob(contents).bytes },
  ]);
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
  return (json('manifest.json') as ArchivedImage[]).map(({ Config, Layers }) =>
    existingImage(json(Config) as ImageConfig, Layers.map(file)),
  );
}
