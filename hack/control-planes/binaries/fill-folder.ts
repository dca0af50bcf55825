import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import { withCacheLock } from './cache-lock.ts';

export interface FillFolderOptions {
  /** The folder around `directory`; made if missing. */
  readonly cache: string;
  readonly directory: string;
  /** Whether `directory` has everything. */
  readonly isComplete: () => Promise<boolean>;
  readonly fill: (partial: string) => Promise<void>;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

/** Fills a folder of the cache if it is not complete. Several processes may call it concurrently; one of them fills it. */
export async function fillFolder(options: FillFolderOptions): Promise<void> {
  const { cache, directory, isComplete, clock, report } = options;
  if (await isComplete()) return;
  await mkdir(cache, { recursive: true });
  const onWait = () => report(`waiting for another process that fills ${directory}`);
  await withCacheLock({ path: `${directory}.lock`, clock, onWait }, async () => {
    if (!(await isComplete())) await fillLocked(options);
  });
}

/** Fills a folder beside the final one and moves it into place, so that no process sees a partial one. */
async function fillLocked({ cache, directory, isComplete, fill }: FillFolderOptions): Promise<void> {
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

/** The path itself, if it is a file that may be executed. */
export const executable = async (path: string): Promise<string | undefined> =>
  (await isExecutable(path)) ? path : undefined;
