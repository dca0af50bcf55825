import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { type ImageBlob, imageBlob, sha256 } from './image-blob.ts';
import type { HistoryEntry } from './oci-image.ts';
import { type TarMember, writeTar } from './tar-archive.ts';

/** A layer of an image: a gzipped archive. */
export interface Layer {
  readonly blob: ImageBlob;
  /** Digest of the archive before compression. */
  readonly diffId: string;
  /** On the layer's descriptor, where the format has one. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Undefined for a layer whose history the image's config has already. */
  readonly history?: HistoryEntry;
}

export interface LayerOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Shown in an image's history. */
  readonly createdBy: string;
}

export async function createLayer(members: readonly TarMember[], options: LayerOptions): Promise<Layer> {
  const archive = await writeTar(members);
  return {
    blob: imageBlob(gzip(archive)),
    diffId: `sha256:${sha256(archive)}`,
    history: { created_by: options.createdBy },
    ...(options.annotations ? { annotations: options.annotations } : {}),
  };
}

/**
 * A layer of an image from another builder: gzipped as it is; plain or with zstd, it is gzipped anew, since the members
 * of a package's tarball are `.tar.gz`.
 *
 * @param diffId from the image's config; an error if the layer has other content
 */
export function existingLayer(bytes: Uint8Array, diffId: string): Layer {
  const { archive, gzipped } = decompress(bytes);
  if (`sha256:${sha256(archive)}` !== diffId) {
    throw new Error(`a layer is not ${diffId}, as the image's config says: is the file complete?`);
  }
  return { blob: imageBlob(gzipped ?? gzip(archive)), diffId };
}

/** The archive inside a layer. */
export const archiveOf = (layer: Layer): Uint8Array => gunzipSync(layer.blob.bytes);

function decompress(bytes: Uint8Array): { readonly archive: Uint8Array; readonly gzipped?: Uint8Array } {
  const magic = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (magic.startsWith('1f8b')) return { archive: gunzipSync(bytes), gzipped: bytes };
  if (magic === '28b52ffd') return { archive: zstdDecompressSync(bytes) };
  return { archive: bytes };
}

/** Byte of the gzip header that names the operating system, and the value for "unknown" (RFC 1952). */
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

/** Zlib writes no time, but the system it ran on, and a package must not depend on that. */
function gzip(bytes: Uint8Array): Uint8Array {
  const zipped = gzipSync(bytes);
  zipped[OS_BYTE] = OS_UNKNOWN;
  return zipped;
}
