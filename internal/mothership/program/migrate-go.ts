import { systemRandom } from '../../base/random.ts';
import type { Logger } from '../../base/telemetry/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { DatabaseSettings } from '../config/database-settings.ts';
import { readKeys } from '../encryption/key-file.ts';
import { type GoMigrationResult, migrateGoDatabase } from '../go-migration/migrate-go-database.ts';
import { defaultSettings } from '../model/settings.ts';
import { openDatabase, openKeyring } from './open-database.ts';

export interface MigrateGoOptions {
  readonly settings: DatabaseSettings;
  readonly log: Logger;
}

/** Migrates the tables of the Go program that are in the same database. Its key is one of the key file. */
export async function migrateGo({ settings, log }: MigrateGoOptions): Promise<GoMigrationResult> {
  const deps = { clock: systemClock, random: systemRandom, log };
  const goKeys = await readKeys(settings.keyFile);
  const keyring = await openKeyring(settings, { ...deps, creates: false });
  const database = await openDatabase({ ...deps, settings, migrates: true });
  try {
    return await migrateGoDatabase({
      ...deps,
      database,
      goKeys,
      keyring,
      settings: defaultSettings,
      observers: [],
    });
  } finally {
    await database.close();
  }
}
