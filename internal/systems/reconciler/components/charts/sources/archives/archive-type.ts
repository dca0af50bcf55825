import { refused } from '../model/source-error.ts';

export type ArchiveType = 'tar.gz' | 'zip';

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
export function archiveTypeOf(head: Uint8Array): ArchiveType {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex');
  const format = formats.find(({ bytes }) => hex.startsWith(bytes));
  if (format?.type !== undefined) return format.type;
  const what = format === undefined ? 'an unknown format' : `the format ${format.name}`;
  throw refused(`unsupported archive: ${what}; supported are tar.gz and zip`);
}
