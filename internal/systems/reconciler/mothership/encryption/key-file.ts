/**
 * The file with the encryption keys: one on each line, the current one first. Those behind it decrypt what was written
 * before a rotation.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, InvalidConfigurationError, messageOf } from '../../../../framework/base/index.ts';

import { createKeyring, type Keyring, newKey, parseKeys } from './keyring.ts';

/** Interval in which a running process looks for a changed file, in ms. */
export const KEY_FILE_INTERVAL_MS = 5000;

/** Makes the file with a new key, in a folder that need not exist. Returns false, and changes nothing, if there is one. */
export async function createKeyFile(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = temporary(path);
  try {
    // A process that is killed leaves no file without a key.
    await writeNew(next, `${newKey()}\n`);
    await link(next, path);
    await syncFolder(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(path, error);
  } finally {
    await rm(next, { force: true });
  }
}

const temporary = (path: string) => `${path}.${randomUUID()}.new`;

/**
 * Replaces the keys. Readers see the old file or the new one, which is on the disk when this resolves. Changes of a file take turns,
 * which the caller ensures.
 */
export async function replaceKeys(path: string, keys: readonly string[]): Promise<void> {
  const next = temporary(path);
  try {
    await writeNew(next, `${keys.join('\n')}\n`);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await syncFolder(path);
  await removeRests(path);
}

/** What changes left that were killed: it has keys. */
async function removeRests(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const rests = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.new'));
  await Promise.all(rests.map((name) => rm(join(dirname(path), name), { force: true })));
}

/** A rename is on the disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function readKeys(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unusable(path, error);
  });
  return keysIn(path, text);
}

/** Readable by its owner alone, and on the disk when this resolves. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * The keys of a file, which is read again when it has changed: at most every 5 seconds, and at once for a key that is not
 * known yet. A file that cannot be read leaves the keys as they are.
 */
export async function openKeyFile(path: string, clock: Pick<Clock, 'monotonic'>): Promise<Keyring> {
  let keyring = createKeyring(await readKeys(path));
  let version = fileVersionOf(path);
  let checkedAt = clock.monotonic();
  const reload = () => {
    checkedAt = clock.monotonic();
    try {
      const found = fileVersionOf(path);
      if (found === version) return;
      keyring = createKeyring(keysIn(path, readFileSync(path, 'utf8')));
      version = found;
    } catch {
      // It is being replaced, or it is broken: what is encrypted stays readable with the keys in memory.
    }
  };
  const current = () => {
    if (clock.monotonic() - checkedAt >= KEY_FILE_INTERVAL_MS) reload();
    return keyring;
  };
  return {
    get currentId() {
      return current().currentId;
    },
    get ids() {
      return current().ids;
    },
    encrypt: (plain, purpose) => current().encrypt(plain, purpose),
    decrypt: (sealed, purpose) => {
      if (!keyring.ids.includes(sealed.keyId)) reload();
      return current().decrypt(sealed, purpose);
    },
    derive: (use) => current().derive(use),
  };
}

function fileVersionOf(path: string): string {
  const { mtimeMs, ino, size } = statSync(path);
  return `${mtimeMs} ${ino} ${size}`;
}

function keysIn(path: string, text: string): string[] {
  try {
    return parseKeys(text);
  } catch (error) {
    throw new InvalidConfigurationError(`${path}: ${messageOf(error)}`);
  }
}

const unusable = (path: string, cause: unknown) =>
  new InvalidConfigurationError(
    `cannot use the encryption key ${path}: ${messageOf(cause)}; --create-encryption-key makes one`,
    { cause },
  );
