import { createHash } from 'node:crypto';

/** Bytes with their digest. */
export interface ImageBlob {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

export const imageBlob = (bytes: Uint8Array): ImageBlob => ({ digest: `sha256:${sha256(bytes)}`, bytes });

/** The members keep their order in code, so that equal values are equal bytes. */
export const jsonBlob = (value: unknown): ImageBlob => imageBlob(Buffer.from(JSON.stringify(value)));

/** The digest without its algorithm. */
export const hexOf = (digest: string): string => digest.slice(digest.indexOf(':') + 1);
