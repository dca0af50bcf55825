import {
  InvalidConfigurationError,
  type Logger,
  sleep,
  systemClock,
  systemRandom,
} from '../../../../framework/base/index.ts';

import type { DatabaseSettings } from '../config/database-settings.ts';
import type { Database } from '../database/database.ts';
import { KEY_FILE_INTERVAL_MS, openKeyFile, readKeys, replaceKeys } from '../encryption/key-file.ts';
import { createKeyring, newKey } from '../encryption/keyring.ts';
import { keysInUse, missingKeys, reencrypt } from '../encryption/reencrypt.ts';
import { openDatabase } from './open-database.ts';

/** Time after which each running mothership has read a changed key file, in ms. */
const RELOAD_MS = 2 * KEY_FILE_INTERVAL_MS;

const logWait = (log: Logger): void =>
  log.info('waiting until running motherships have read the key file', { seconds: RELOAD_MS / 1000 });

export interface RotateKeysOptions {
  readonly settings: DatabaseSettings;
  readonly log: Logger;
}

/**
 * Adds a key to the file in front of the others, if wanted, and encrypts every row with the first one. Running motherships read the
 * changed file within seconds; what they encrypt with the old key in between is encrypted again. Changes of the keys take turns over
 * all processes on the database, and one that was killed can be repeated.
 */
export async function rotateKeys({
  settings,
  log,
  addsKey,
}: RotateKeysOptions & { readonly addsKey: boolean }): Promise<{ readonly rows: number }> {
  const deps = { clock: systemClock, random: systemRandom, log };
  log.info('opening the database, and looking for the keys that it is encrypted with');
  const database = await openDatabase({ ...deps, settings, migrates: 'never' });
  try {
    return await database.withLock('encryption keys', async (signal) => {
      const keys = await readKeys(settings.keyFile);
      await usedKeys(database, keys);
      signal.throwIfAborted();
      if (addsKey) await replaceKeys(settings.keyFile, [newKey(), ...keys]);
      const keyring = await openKeyFile(settings.keyFile, systemClock);
      const rows = await reencrypt(database, keyring);
      if (settings.kind === 'embedded') return { rows };
      logWait(log);
      await sleep(systemClock, RELOAD_MS);
      return { rows: rows + (await reencrypt(database, keyring)) };
    });
  } finally {
    await database.close();
  }
}

/**
 * Removes the keys that no row needs, except the current one: rows are encrypted with them, and callbacks of operations in progress
 * are signed with them.
 */
export async function pruneKeys({ settings, log }: RotateKeysOptions): Promise<{ readonly removed: number }> {
  const deps = { clock: systemClock, random: systemRandom, log };
  log.info('opening the database, and looking for the keys that it is encrypted with');
  const database = await openDatabase({ ...deps, settings, migrates: 'never' });
  try {
    return await database.withLock('encryption keys', async (signal) => {
      const [current = '', ...old] = await readKeys(settings.keyFile);
      await usedKeys(database, [current, ...old]);
      // A process that has not read the file since its last change encrypts with an old key until then.
      if (settings.kind !== 'embedded') {
        logWait(log);
        await sleep(systemClock, RELOAD_MS, signal);
      }
      const used = await keysInUse(database);
      const kept = old.filter((key) => used.has(createKeyring([key]).currentId));
      signal.throwIfAborted();
      if (kept.length < old.length) await replaceKeys(settings.keyFile, [current, ...kept]);
      return { removed: old.length - kept.length };
    });
  } finally {
    await database.close();
  }
}

/**
 * @throws InvalidConfigurationError if nothing is encrypted, or something with a key that the file does not have: it is another
 *   database or key file than those of the motherships
 */
async function usedKeys(database: Database, keys: readonly string[]): Promise<void> {
  const used = await keysInUse(database);
  if (used.size === 0) {
    throw new InvalidConfigurationError(
      'cannot rotate the encryption key: the database has no clusters, so nothing is encrypted; is it the right one?',
    );
  }
  const missing = missingKeys(used, createKeyring(keys).ids);
  if (missing !== '') throw new InvalidConfigurationError(`cannot rotate the encryption key: ${missing}`);
}
