import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { messageOf, ProviderError } from '../../../../../framework/base/index.ts';
import { refused, type SourceLimits, type TargetFolder } from './chart-source.ts';
import { limitBytes } from './source-http.ts';

/**
 * Unpacks a tar.gz or zip file.
 *
 * @throws SourceError for other formats, for what is refused, and beyond the limits of `target`
 */
export async function unpackArchive(file: string, target: TargetFolder, limits: SourceLimits): Promise<void> {
  const type = archiveTypeOf(await headOf(file));
  if (type === 'tar.gz') await unpackTarGz(file, target, limits);
  else await unpackZip(file, target);
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

type ArchiveType = 'tar.gz' | 'zip';

/** The first bytes of formats, in hexadecimal. Those without a type are named in the refusal. */
const formats: readonly { readonly bytes: string; readonly name: string; readonly type?: ArchiveType }[] = [
  { bytes: '1f8b', name: 'gzip', type: 'tar.gz' },
  { bytes: '504b0304', name: 'zip', type: 'zip' },
  { bytes: '504b0506', name: 'zip', type: 'zip' },
  { bytes: '526172211a07', name: 'rar' },
  { bytes: '377abcaf271c', name: '7z' },
  { bytes: 'fd377a585a00', name: 'xz' },
  { bytes: '425a68', name: 'bzip2' },
  { bytes: '28b52ffd', name: 'zstd' },
];

/**
 * The type of an archive by its first bytes, since servers and names often state another one.
 *
 * @throws SourceError for formats that are not supported
 */
function archiveTypeOf(head: Uint8Array): ArchiveType {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex');
  const format = formats.find(({ bytes }) => hex.startsWith(bytes));
  if (format?.type !== undefined) return format.type;
  const what = format === undefined ? 'an unknown format' : `the format ${format.name}`;
  throw refused(`unsupported archive: ${what}; supported are tar.gz and zip`);
}

/** The kind of a file in its mode: Unix stores the mode in the upper half of the attributes. */
const KIND_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/**
 * Unpacks a zip file. Links, special files and encrypted entries are refused.
 *
 * @throws SourceError for what is refused, and for an archive that is damaged
 */
async function unpackZip(file: string, target: TargetFolder): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      assertPlain(entry);
      if (entry.fileName.endsWith('/')) await target.addFolder(entry.fileName);
      else await target.addFile(entry.fileName, await contentOf(zip, entry));
    }
  } catch (error) {
    throw error instanceof ProviderError ? error : refused(`the archive is damaged: ${messageOf(error)}`);
  } finally {
    zip?.close();
  }
}

/** It ends with an error if it is longer or shorter than the entry says. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  const content = await zip.openReadStreamPromise(entry);
  // The error may come before anything reads, which gets it then; without a listener it would end the process.
  content.on('error', () => undefined);
  return content;
}

function assertPlain(entry: Entry): void {
  const name = JSON.stringify(entry.fileName.slice(0, 200));
  if (entry.isEncrypted()) throw refused(`the archive has an encrypted file: ${name}`);
  const kind = (entry.externalFileAttributes >>> 16) & KIND_MASK;
  if (kind === 0 || kind === REGULAR || kind === FOLDER) return;
  throw refused(`the archive has a link or special file: ${name}`);
}

/** A block of header for each entry, and padding. */
const OVERHEAD_BYTES = 1536;

/**
 * Unpacks a tar.gz file. Links, devices and other special files are refused.
 *
 * @throws SourceError for what is refused, and for an archive that is damaged or ends too early
 */
async function unpackTarGz(file: string, target: TargetFolder, limits: SourceLimits): Promise<void> {
  const packed = createReadStream(file);
  const unzipped = createGunzip();
  packed.once('error', (error) => unzipped.destroy(error));
  packed.pipe(unzipped);
  const maxBytes = limits.maxUnpackedBytes + limits.maxFiles * OVERHEAD_BYTES;
  // No `Readable.toWeb`: it delivers into a stream that was cancelled, and what it throws then ends the process.
  const bytes = ReadableStream.from(limitBytes(unzipped, maxBytes, 'the archive, unpacked,'));
  try {
    const entries = bytes.pipeThrough(createTarDecoder({ strict: true }));
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
    throw error instanceof ProviderError ? error : refused(`the archive is damaged: ${messageOf(error)}`);
  } finally {
    packed.destroy();
    unzipped.destroy();
  }
}
