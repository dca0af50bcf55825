import { systemRandom } from '../../base/random.ts';
import type { Logger } from '../../base/telemetry/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { DatabaseSettings } from '../config/database-settings.ts';
import { readKeys } from '../encryption/key-file.ts';
import { assertGoTables } from '../go-migration/go-tables.ts';
import { type GoMigrationResult, migrateGoDatabase } from '../go-migration/migrate-go-database.ts';
import { defaultSettings } from '../model/settings.ts';
import { assertExists, openDatabase, openKeyring } from './open-database.ts';

export interface MigrateFromGoOptions {
  readonly settings: DatabaseSettings;
  /** The key file of the Go program; empty: the file of this one, which has its key too. */
  readonly goKeyFile: string;
  readonly log: Logger;
}

/** Makes the tables of this program in the database of the Go program, and copies its data into them. */
export async function migrateFromGo({
  settings,
  goKeyFile,
  log,
}: MigrateFromGoOptions): Promise<GoMigrationResult> {
  if (settings.kind === 'embedded') await assertExists(settings.folder);
  const deps = { clock: systemClock, random: systemRandom, log };
  const keyring = await openKeyring(settings, { ...deps, creates: false });
  const goKeys = await readKeys(goKeyFile === '' ? settings.keyFile : goKeyFile);
  const database = await openDatabase({
    ...deps,
    settings,
    migrates: true,
    check: ({ queries }) => assertGoTables(queries),
  });
  try {
    return await migrateGoDatabase({
      ...deps,
      database,
      keyring,
      goKeys,
      settings: defaultSettings,
      observers: [],
    });
  } finally {
    await database.close();
  }
}
