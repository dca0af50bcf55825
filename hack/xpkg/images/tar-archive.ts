import { posix } from 'node:path';
import { packTar, unpackTar } from 'modern-tar';

/** A file or folder in an archive. */
export interface TarMember {
  /** Relative, with slashes. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Permission bits; default 0644. */
  readonly mode?: number;
}

const epoch = new Date(0);

/**
 * An archive (ustar) whose bytes depend on names and contents alone: mtime 0, uid and gid 0, no owner's name.
 * A name that ends with a slash is a folder.
 */
export async function writeTar(members: readonly TarMember[]): Promise<Uint8Array> {
  return packTar(
    members.map(({ name, bytes, mode }) => {
      const isFolder = name.endsWith('/');
      return {
        header: {
          name,
          size: bytes.length,
          type: isFolder ? 'directory' : 'file',
          mode: mode ?? (isFolder ? 0o755 : 0o644),
          mtime: epoch,
          uid: 0,
          gid: 0,
        },
        body: bytes,
      };
    }),
  );
}

/** The files of an archive by name; a link has the content of its target. Throws if the archive is damaged. */
export async function readTar(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const entries = await unpackTar(bytes, { strict: true });
  const files = new Map<string, Uint8Array>();
  const links: { name: string; target: string }[] = [];
  for (const { header, data } of entries) {
    const name = normal(header.name);
    if (header.type === 'symlink') links.push({ name, target: normal(header.linkname ?? '', name) });
    else if (header.type === 'link') links.push({ name, target: normal(header.linkname ?? '') });
    else if (data !== undefined && header.type !== 'directory') files.set(name, data);
  }
  // Older Docker saves a layer that two images share as a link to the first one's.
  for (const { name, target } of links) {
    const content = files.get(target);
    if (content !== undefined) files.set(name, content);
  }
  return files;
}

/** Without `./` before it; relative to the folder of `from` where that is given. */
function normal(name: string, from = ''): string {
  return posix.join(posix.dirname(from), name).replace(/^\/+/, '');
}
