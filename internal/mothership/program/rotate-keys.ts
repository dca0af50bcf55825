import { systemRandom } from '../../base/random.ts';
import type { Logger } from '../../base/telemetry/logger.ts';
import { sleep, systemClock } from '../../base/time/clock.ts';
import type { DatabaseSettings } from '../config/database-settings.ts';
import { KEY_FILE_INTERVAL_MS, openKeyFile, readKeys, replaceKeys } from '../encryption/key-file.ts';
import { createKeyring, newKey } from '../encryption/keyring.ts';
import { keysInUse, reencrypt } from '../encryption/reencrypt.ts';
import { openDatabase } from './open-database.ts';

export interface RotateKeysOptions {
  readonly settings: DatabaseSettings;
  readonly log: Logger;
}

/**
 * Adds a key to the file in front of the others, if wanted, and encrypts every row with the first one. Running motherships read the changed file
 * within seconds; what they encrypt with the old key in between is encrypted again.
 */
export async function rotateKeys({
  settings,
  log,
  addsKey,
}: RotateKeysOptions & { readonly addsKey: boolean }): Promise<{ readonly rows: number }> {
  const deps = { clock: systemClock, random: systemRandom, log };
  const database = await openDatabase({ ...deps, settings, migrates: false });
  try {
    const keys = await readKeys(settings.keyFile);
    if (addsKey) await replaceKeys(settings.keyFile, [newKey(), ...keys]);
    const keyring = await openKeyFile(settings.keyFile, systemClock);
    const rows = await reencrypt(database, keyring);
    if (settings.kind === 'embedded') return { rows };
    await sleep(systemClock, 2 * KEY_FILE_INTERVAL_MS);
    return { rows: rows + (await reencrypt(database, keyring)) };
  } finally {
    await database.close();
  }
}

/**
 * Removes the keys that no row is encrypted with, except the current one. Operations whose task was sent before the rotation
 * must have ended: their callbacks are signed with an old key.
 */
export async function pruneKeys({ settings, log }: RotateKeysOptions): Promise<{ readonly removed: number }> {
  const deps = { clock: systemClock, random: systemRandom, log };
  const database = await openDatabase({ ...deps, settings, migrates: false });
  try {
    const [current = '', ...old] = await readKeys(settings.keyFile);
    const used = await keysInUse(database);
    const kept = old.filter((key) => used.has(createKeyring([key]).currentId));
    await replaceKeys(settings.keyFile, [current, ...kept]);
    return { removed: old.length - kept.length };
  } finally {
    await database.close();
  }
}
