/**
 * A container image in memory. Its config is the JSON document of OCI image-spec 1.1, as far as it is read and written
 * here; Docker's image config has the same members.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { gzip } from './gzip.ts';
import { type TarMember, writeTar } from './tar-archive.ts';

export interface Platform {
  readonly architecture: string;
  readonly os: string;
  /** Of the CPU: `v8`. */
  readonly variant?: string;
}

/** Unknown members are kept as they are. */
export interface ImageConfig extends Platform {
  readonly created?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly ExposedPorts?: Readonly<Record<string, object>>;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] };
  /** One entry a layer, besides those marked as empty. */
  readonly history?: readonly { readonly created_by?: string; readonly empty_layer?: boolean }[];
}

/** An image for one platform, or, as a package without a runtime, for none. */
export interface ContainerImage {
  readonly config: ImageConfig;
  readonly layers: readonly Layer[];
}

/** A layer of an image: a gzipped archive. */
export interface Layer {
  readonly blob: ImageBlob;
  /** Digest of the archive before compression. */
  readonly diffId: string;
  /** On the layer's descriptor, where the format has one. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Bytes with their digest. */
export interface ImageBlob {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export const imageBlob = (bytes: Uint8Array): ImageBlob => ({ digest: sha256(bytes), bytes });

/** The members keep their order in code, so that equal values are equal bytes. */
export const jsonBlob = (value: unknown): ImageBlob => imageBlob(Buffer.from(JSON.stringify(value)));

/** The digest without its algorithm. */
export const hexOf = (digest: string): string => digest.slice(digest.indexOf(':') + 1);

/** The platform of an image; undefined for one that runs nothing. */
export function platformOf({ config }: ContainerImage): Platform | undefined {
  const { os, architecture, variant } = config;
  if (os === '' || architecture === '') return undefined;
  return { architecture, os, ...(variant ? { variant } : {}) };
}

/** `linux/amd64`, `linux/arm64/v8`. */
export const platformName = ({ os, architecture, variant }: Platform): string =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');

/** A layer that is built here, with what an image's history shows of it. */
export interface NewLayer extends Layer {
  readonly createdBy: string;
}

export async function createLayer(
  members: readonly TarMember[],
  options: Pick<NewLayer, 'createdBy' | 'annotations'>,
): Promise<NewLayer> {
  const archive = await writeTar(members);
  return { blob: imageBlob(gzip(archive)), diffId: sha256(archive), ...options };
}

/** Adds layers on top, with their history, and what `change` makes of the config. */
export function extendImage(
  { config, layers }: ContainerImage,
  added: readonly NewLayer[],
  change: (config: NonNullable<ImageConfig['config']>) => NonNullable<ImageConfig['config']>,
): ContainerImage {
  // Optional in OCI; but one that names some layers only is refused by engines.
  const history = config.history ?? layers.map(() => ({}));
  return {
    config: {
      ...config,
      config: change(config.config ?? {}),
      rootfs: {
        type: 'layers',
        diff_ids: [...config.rootfs.diff_ids, ...added.map(({ diffId }) => diffId)],
      },
      history: [...history, ...added.map(({ createdBy }) => ({ created_by: createdBy }))],
    },
    layers: [...layers, ...added],
  };
}

/**
 * An image of another builder. Layers that are gzipped stay as they are; plain ones and those with zstd are gzipped, since
 * the members of a package's tarball are `.tar.gz`. Throws if a layer has other content than the config says.
 */
export function existingImage(config: ImageConfig, contents: readonly Uint8Array[]): ContainerImage {
  const ids = config.rootfs.diff_ids;
  if (ids.length !== contents.length) {
    throw new Error(`the image has ${contents.length} layers, its config names ${ids.length}`);
  }
  const layers = contents.map((bytes, position): Layer => {
    const { archive, gzipped } = decompress(bytes);
    const diffId = sha256(archive);
    if (diffId !== ids[position])
      throw new Error(`a layer is not ${ids[position]}, as the image's config says: is the file complete?`);
    return { blob: imageBlob(gzipped ?? gzip(archive)), diffId };
  });
  return { config, layers };
}

/** The archive inside a layer. */
export const archiveOf = (layer: Layer): Uint8Array => gunzipSync(layer.blob.bytes);

function decompress(bytes: Uint8Array): { readonly archive: Uint8Array; readonly gzipped?: Uint8Array } {
  const magic = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (magic.startsWith('1f8b')) return { archive: gunzipSync(bytes), gzipped: bytes };
  if (magic === '28b52ffd') return { archive: zstdDecompressSync(bytes) };
  return { archive: bytes };
}
