import { type FileHandle, glob, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Clock } from '../../../../../framework/base/index.ts';

/** A file to which lines are appended, replaced by a new one when it has grown. */
export interface LineFile {
  /** Resolves when the line is on the disk. @throws the error of the file system */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

export interface LineFileOptions {
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  /** In bytes; default 100 MiB. */
  readonly maxBytes?: number;
  /** Older files that are kept; default 5. */
  readonly maxBackups?: number;
  /** Age at which older files are deleted, in ms; default one day. */
  readonly maxAgeMs?: number;
}

const DAY_MS = 86_400_000;

export function createLineFile(options: LineFileOptions): LineFile {
  const { path, clock, maxBytes = 100 * 1024 * 1024, maxBackups = 5, maxAgeMs = DAY_MS } = options;
  let handle: FileHandle | undefined;
  let bytes = 0;
  let last: Promise<unknown> = Promise.resolve();

  const opened = async (): Promise<FileHandle> => {
    if (handle !== undefined && (await isStillThere(handle, path))) return handle;
    await handle?.close();
    handle = undefined;
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a', 0o600);
    handle = file;
    bytes = (await file.stat()).size;
    return file;
  };
  const rotate = async () => {
    await handle?.close();
    handle = undefined;
    const backup = await reserveBackup(path, clock.now());
    await rename(path, backup).catch(async (error: NodeJS.ErrnoException) => {
      await rm(backup, { force: true });
      // Another process has just done it.
      if (error.code !== 'ENOENT') throw error;
    });
    await removeOld(path, { maxBackups, before: clock.now() - maxAgeMs });
  };
  const append = async (line: string) => {
    const text = `${line}\n`;
    await opened();
    if (bytes > 0 && bytes + Buffer.byteLength(text) > maxBytes) await rotate();
    const file = await opened();
    await file.appendFile(text);
    await file.datasync();
    bytes += Buffer.byteLength(text);
  };
  return {
    append: (line) => {
      const appended = last.then(() => append(line));
      last = appended.catch(() => undefined);
      return appended;
    },
    close: async () => {
      await last;
      await handle?.close();
      handle = undefined;
    },
  };
}

/** False after another program has moved or deleted the file, as logrotate does. */
async function isStillThere(handle: FileHandle, path: string): Promise<boolean> {
  const [own, found] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
  return found !== undefined && own.ino === found.ino && own.dev === found.dev;
}

/** The path of an empty file with the time in its name: of two processes at the same moment, each gets its own. */
async function reserveBackup(path: string, at: number): Promise<string> {
  const extension = extname(path);
  const time = new Date(at).toISOString().replaceAll(':', '-');
  const backup = join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
  try {
    const file = await open(backup, 'wx', 0o600);
    await file.close();
    return backup;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return reserveBackup(path, at + 1);
  }
}

async function removeOld(
  path: string,
  { maxBackups, before }: { readonly maxBackups: number; readonly before: number },
): Promise<void> {
  const extension = extname(path);
  const folder = dirname(path);
  const prefix = `${basename(path, extension)}-`;
  const backups: { name: string; at: number }[] = [];
  for await (const name of glob(`${prefix}*${extension}`, { cwd: folder })) {
    const [, date = '', time = ''] = /(\d{4}-\d\d-\d\dT)(\d\d-\d\d-\d\d\.\d{3}Z)/.exec(name) ?? [];
    const at = Date.parse(`${date}${time.replaceAll('-', ':')}`);
    if (!Number.isNaN(at)) backups.push({ name, at });
  }
  backups.sort((a, b) => b.at - a.at);
  for (const [index, { name, at }] of backups.entries()) {
    if (index >= maxBackups || at < before) await rm(join(folder, name), { force: true });
  }
}
