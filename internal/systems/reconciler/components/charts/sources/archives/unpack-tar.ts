import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { messageOf, ProviderError } from '../../../../../../framework/base/index.ts';

import type { SourceLimits } from '../model/limits.ts';
import type { TargetFolder } from '../model/revision.ts';
import { refused } from '../model/source-error.ts';
import { limitBytes } from '../transport/limited-bytes.ts';

/** A block of header for each entry, and padding. */
const OVERHEAD_BYTES = 1536;

/**
 * Unpacks a tar.gz file. Links, devices and other special files are refused.
 *
 * @throws SourceError for what is refused, and for an archive that is damaged or ends too early
 */
export async function unpackTarGz(
  file: string,
  target: TargetFolder,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<void> {
  const packed = createReadStream(file);
  const unzipped = createGunzip();
  packed.once('error', (error) => unzipped.destroy(error));
  packed.pipe(unzipped);
  const maxBytes = limits.maxUnpackedBytes + limits.maxFiles * OVERHEAD_BYTES;
  // No `Readable.toWeb`: it delivers into a stream that was cancelled, and what it throws then ends the process.
  const bytes = ReadableStream.from(limitBytes(unzipped, maxBytes, 'the archive, unpacked,'));
  try {
    const entries = bytes.pipeThrough(createTarDecoder({ strict: true }), { signal });
    for await (const { header, body } of entries) {
      if (header.type === 'directory') {
        await target.addFolder(header.name);
      } else if (header.type === 'file' || header.type === undefined) {
        await target.addFile(header.name, body);
        continue;
      } else if (header.type !== 'pax-global-header') {
        throw refused(`the archive has a ${header.type}: ${JSON.stringify(header.name.slice(0, 200))}`);
      }
      await body.cancel();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError ? error : refused(`the archive is damaged: ${messageOf(error)}`);
  } finally {
    packed.destroy();
    unzipped.destroy();
  }
}
