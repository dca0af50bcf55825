/** A folder in the OCI image layout (image-spec, image-layout.md): what registry tools push as it is. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerImage, descriptor, platformOf, storedImage } from './container-image.ts';
import { pairLayers } from './docker-archive.ts';
import { hexOf, type ImageBlob, imageBlob, jsonBlob } from './image-blob.ts';
import {
  type Descriptor,
  dockerMediaTypes,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  mediaTypes,
} from './oci-image.ts';

export interface OciLayoutOptions {
  /** Of each image's manifest, and of the index where there is one. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The tag, by which `skopeo copy oci:FOLDER:TAG` finds the image. */
  readonly tag: string;
}

/**
 * Writes the images into an empty or new folder; what an earlier build left there is removed. One image is the
 * layout's only entry; several are behind one index, which is then the only entry, so that a tool needs no choice.
 */
export async function writeOciLayout(
  folder: string,
  images: readonly ContainerImage[],
  { annotations, tag }: OciLayoutOptions,
): Promise<void> {
  const blobs = new Map<string, ImageBlob>();
  const keep = (blob: ImageBlob) => blobs.set(blob.digest, blob);
  const manifests = images.map((image): Descriptor => {
    const { manifest, config, layers } = storedImage(image, annotations);
    for (const blob of [manifest, config, ...layers]) keep(blob);
    const platform = platformOf(image);
    return { ...descriptor(mediaTypes.manifest, manifest), ...(platform ? { platform } : {}) };
  });
  const [only, ...others] = manifests;
  if (only === undefined) throw new Error('cannot write an OCI layout: no image is given');
  let entry: Descriptor = only;
  if (others.length > 0) {
    const index = jsonBlob({
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests,
      annotations,
    } satisfies ImageIndex);
    keep(index);
    entry = descriptor(mediaTypes.index, index);
  }
  const top: ImageIndex = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...entry, annotations: { 'org.opencontainers.image.ref.name': tag } }],
  };
  await rm(folder, { recursive: true, force: true });
  const store = join(folder, 'blobs', 'sha256');
  await mkdir(store, { recursive: true });
  for (const { digest, bytes } of blobs.values()) await writeFile(join(store, hexOf(digest)), bytes);
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(folder, 'index.json'), JSON.stringify(top));
}

/** All images of a layout, those behind indices too. Throws if a blob does not match its digest. */
export async function readOciLayout(folder: string): Promise<ContainerImage[]> {
  const read = async ({ digest }: Descriptor): Promise<Uint8Array> => {
    const bytes = await readFile(join(folder, 'blobs', ...digest.split(':')));
    if (imageBlob(bytes).digest !== digest) throw new Error(`blob ${digest} has other content`);
    return bytes;
  };
  const readJson = async (of: Descriptor): Promise<unknown> =>
    JSON.parse(Buffer.from(await read(of)).toString());

  const imagesOf = async (of: Descriptor): Promise<ContainerImage[]> => {
    // A manifest that is no image for a platform, such as an attestation of a build, is left out.
    if (of.annotations?.['vnd.docker.reference.type'] !== undefined) return [];
    switch (of.mediaType) {
      case mediaTypes.index:
      case dockerMediaTypes.index: {
        const { manifests } = (await readJson(of)) as ImageIndex;
        return (await Promise.all(manifests.map(imagesOf))).flat();
      }
      case mediaTypes.manifest:
      case dockerMediaTypes.manifest: {
        const manifest = (await readJson(of)) as ImageManifest;
        const config = (await readJson(manifest.config)) as ImageConfig;
        return [{ config, layers: pairLayers(config, await Promise.all(manifest.layers.map(read))) }];
      }
      default:
        throw new Error(`${of.digest} is of the unknown type ${of.mediaType}`);
    }
  };
  const { manifests }: ImageIndex = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'));
  return (await Promise.all(manifests.map(imagesOf))).flat();
}
