import { constants } from 'node:fs';
import { access, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FillFolderOptions {
  /** The folder around `directory`. */
  readonly cache: string;
  readonly directory: string;
  /** Whether `directory` has everything. */
  readonly isComplete: () => Promise<boolean>;
  readonly fill: (partial: string) => Promise<void>;
}

/** Fills a folder beside the final one and moves it into place, so that no process sees a partial one. */
export async function fillFolder({ cache, directory, isComplete, fill }: FillFolderOptions): Promise<void> {
  await removeLeftovers(cache);
  const partial = await mkdtemp(join(cache, '.partial-'));
  try {
    await fill(partial);
    try {
      await rename(partial, directory);
    } catch {
      // An existing folder lacks a binary, unless another process filled it in spite of the lock.
      if (await isComplete()) return;
      await rm(directory, { recursive: true, force: true });
      await rename(partial, directory);
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Partial folders of runs that were killed; no fill takes a day. */
async function removeLeftovers(cache: string): Promise<void> {
  const yesterday = Date.now() - 24 * 60 * 60 * 1000;
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (name.startsWith('.partial-') && (await stat(path)).mtimeMs < yesterday) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** A file that may be executed. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
