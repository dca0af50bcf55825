import { gunzipSync } from 'node:zlib';
import { messageOf } from '../../../framework/base/errors/errors.ts';
import { valueAt } from '../../../framework/base/json/json-field.ts';
import { HelmError } from '../helm-error.ts';
import type { NamedFile } from './chart.ts';

const BLOCK = 512;

/** Helm allows 100 MiB for each archive. */
export const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

/** What all archives of a chart may unpack to, those in archives included, in bytes: they are in memory together. */
export interface ArchiveRoom {
  bytesLeft: number;
}

/**
 * The files of a packed chart (tar.gz), without the folder that all of them are in.
 *
 * @param room gets what is left of it
 * @throws HelmError
 */
export function readArchive(data: Uint8Array, room: ArchiveRoom): NamedFile[] {
  let tar: Buffer;
  try {
    tar = gunzipSync(data, { maxOutputLength: Math.max(1, room.bytesLeft) });
    room.bytesLeft -= tar.length;
  } catch (error) {
    if (valueAt(error, ['code']) === 'ERR_BUFFER_TOO_LARGE') {
      throw new HelmError(`the archives of the chart unpack to more than ${MAX_UNPACKED_BYTES} bytes`);
    }
    throw new HelmError(`the archive cannot be unpacked: ${messageOf(error)}`);
  }
  const files: NamedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textIn(header, 124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || at + BLOCK + size > tar.length)
      throw new HelmError('the archive is damaged');
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longName = textIn(content, 0, content.length);
    else if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString())?.[1] ?? longName;
    else {
      if (type === '0' || type === '\0') {
        files.push({ name: nameInChart(longName ?? headerName(header)), data: content });
      }
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (files.length === 0) throw new HelmError('no files in chart archive');
  return files;
}

const textIn = (bytes: Uint8Array, from: number, length: number): string =>
  Buffer.from(bytes.subarray(from, from + length))
    .toString()
    .replace(/\0.*$/s, '');

function headerName(header: Uint8Array): string {
  const prefix = textIn(header, 257, 5) === 'ustar' ? textIn(header, 345, 155) : '';
  const name = textIn(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Without the first folder. @throws HelmError for names that lead out of the chart */
function nameInChart(path: string): string {
  const parts = (path.includes('\\') ? path.split('\\') : path.split('/')).slice(1);
  const kept = parts.filter((part) => part !== '' && part !== '.');
  if (parts[0] === '' && parts.length > 1) throw new HelmError('chart illegally contains absolute paths');
  if (kept.includes('..')) throw new HelmError('chart illegally references parent directory');
  if (kept.length === 0) {
    throw new HelmError(
      `chart illegally contains content outside the base directory: ${JSON.stringify(path)}`,
    );
  }
  return kept.join('/');
}
