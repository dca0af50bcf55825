import { gzipSync } from 'node:zlib';

/** Byte of the gzip header that names the operating system, and the value for "unknown" (RFC 1952). */
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

/** Zlib writes no time, but the system it ran on, and published files must not depend on that. */
export function gzip(bytes: Uint8Array): Uint8Array {
  const zipped = gzipSync(bytes);
  zipped[OS_BYTE] = OS_UNKNOWN;
  return zipped;
}
