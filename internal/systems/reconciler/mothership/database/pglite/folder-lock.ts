import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../../../../framework/base/errors/errors.ts';

const FILE = 'provider-kyma.lock';
/** SQLite: another connection has the lock. */
const BUSY = 5;

/**
 * Makes the folder and locks it until the returned function is called or this process ends, however it ends. Every process sees the
 * lock that can open a file in the folder, by whatever path and in whatever namespace: it is the file lock of an empty SQLite
 * database, which Node has no other call for.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Only those who use the embedded database load it.
  const { DatabaseSync } = await import('node:sqlite');
  const lock = new DatabaseSync(join(folder, FILE), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw new ProviderError('terminal', `another process has the folder ${folder} open`, { cause });
  }
  return () => lock.close();
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === BUSY;
