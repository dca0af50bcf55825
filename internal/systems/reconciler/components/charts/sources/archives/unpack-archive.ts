import { open } from 'node:fs/promises';
import type { SourceLimits } from '../model/limits.ts';
import type { TargetFolder } from '../model/revision.ts';
import { archiveTypeOf } from './archive-type.ts';
import { unpackTarGz } from './unpack-tar.ts';
import { unpackZip } from './unpack-zip.ts';

/**
 * Unpacks a tar.gz or zip file.
 *
 * @throws SourceError for other formats, for what is refused, and beyond the limits of `target`
 */
export async function unpackArchive(
  file: string,
  target: TargetFolder,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<void> {
  const type = archiveTypeOf(await headOf(file));
  if (type === 'tar.gz') await unpackTarGz(file, target, limits, signal);
  else await unpackZip(file, target, signal);
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
