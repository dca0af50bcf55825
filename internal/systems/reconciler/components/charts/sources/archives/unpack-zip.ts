import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { messageOf, ProviderError } from '../../../../../../framework/base/errors/errors.ts';
import type { TargetFolder } from '../model/revision.ts';
import { refused } from '../model/source-error.ts';

/** The kind of a file in its mode: Unix stores the mode in the upper half of the attributes. */
const KIND_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/**
 * Unpacks a zip file. Links, special files and encrypted entries are refused.
 *
 * @throws SourceError for what is refused, and for an archive that is damaged
 */
export async function unpackZip(file: string, target: TargetFolder, signal: AbortSignal): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      assertPlain(entry);
      if (entry.fileName.endsWith('/')) await target.addFolder(entry.fileName);
      else await target.addFile(entry.fileName, await contentOf(zip, entry));
    }
  } catch (error) {
    signal.throwIfAborted();
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
