/** A folder in the OCI image layout (image-spec, image-layout.md): what registry tools push as it is. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ContainerImage,
  existingImage,
  hexOf,
  type ImageBlob,
  type ImageConfig,
  imageBlob,
  jsonBlob,
  type Platform,
  platformOf,
} from './image.ts';

export const mediaTypes = {
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** Equivalent media types of other tools. */
const dockerMediaTypes = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
} as const;

type Annotations = Readonly<Record<string, string>>;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Annotations;
}

export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Annotations;
}

export interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
  readonly annotations?: Annotations;
}

export interface OciLayoutOptions {
  /** Of each image's manifest, and of the index where there is one. */
  readonly annotations: Annotations;
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
  /** Keeps a blob for the folder. */
  const descriptor = (mediaType: string, blob: ImageBlob): Descriptor => {
    blobs.set(blob.digest, blob);
    return { mediaType, digest: blob.digest, size: blob.bytes.length };
  };
  const manifests = images.map((image): Descriptor => {
    const manifest: ImageManifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: descriptor(mediaTypes.config, jsonBlob(image.config)),
      layers: image.layers.map(({ blob, annotations: own }) => ({
        ...descriptor(mediaTypes.layer, blob),
        ...(own ? { annotations: own } : {}),
      })),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    };
    const platform = platformOf(image);
    return { ...descriptor(mediaTypes.manifest, jsonBlob(manifest)), ...(platform ? { platform } : {}) };
  });
  const [only, ...others] = manifests;
  if (only === undefined) throw new Error('cannot write an OCI layout: no image is given');
  const index: ImageIndex = { schemaVersion: 2, mediaType: mediaTypes.index, manifests, annotations };
  const entry = others.length === 0 ? only : descriptor(mediaTypes.index, jsonBlob(index));
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
        return [existingImage(config, await Promise.all(manifest.layers.map(read)))];
      }
      default:
        throw new Error(`${of.digest} is of the unknown type ${of.mediaType}`);
    }
  };
  const { manifests }: ImageIndex = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'));
  return (await Promise.all(manifests.map(imagesOf))).flat();
}
