import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The kernel's code for an established connection. */
const ESTABLISHED = '01';

/**
 * TCP connections of a process to a port of this machine, in either direction, from the kernel's list of descriptors.
 * Undefined where there is no /proc.
 */
export async function openConnections(pid: number, remotePort: number): Promise<number | undefined> {
  const directory = `/proc/${pid}`;
  const sockets = new Set<string>();
  try {
    for (const descriptor of await readdir(join(directory, 'fd'))) {
      // It may have been closed meanwhile.
      const target = await readlink(join(directory, 'fd', descriptor)).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) sockets.add(inode);
    }
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map((table) => readFile(join(directory, 'net', table), 'utf8').catch(() => '')),
    );
    return tables.flatMap((table) => inodesTo(table, remotePort)).filter((inode) => sockets.has(inode))
      .length;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The sockets of a kernel table (proc(5), /proc/net/tcp) that are connected to the port. */
function inodesTo(table: string, remotePort: number): string[] {
  const port = remotePort.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, , remote = '', state, , , , , , inode] = line.trim().split(/\s+/);
    return remote.endsWith(`:${port}`) && state === ESTABLISHED && inode !== undefined ? [inode] : [];
  });
}
