import {
  InvalidConfigurationError,
  type Logger,
  systemClock,
  systemRandom,
} from '../../../../framework/base/index.ts';
import type { DatabaseSettings } from '../config/database-settings.ts';
import { readKeys } from '../encryption/key-file.ts';
import { assertGoTables } from '../go-migration/go-database.ts';
import { type GoMigrationResult, migrateGoDatabase } from '../go-migration/migrate-from-go.ts';
import { migrateToGoDatabase, type ToGoMigrationResult } from '../go-migration/migrate-to-go.ts';
import { type CleanerSettings, defaultSettings } from '../model/settings.ts';
import { assertExists, openDatabase, openKeyring } from './open-database.ts';

interface MigrateFromGoOptions {
  readonly settings: DatabaseSettings;
  /** The key file of the Go program; empty: the file of this one, which has its key too. */
  readonly goKeyFile: string;
  /** Statuses that are migrated. */
  readonly cleaner: Pick<CleanerSettings, 'keepStatuses' | 'maxStatusAgeMs'>;
  readonly log: Logger;
}

/** Makes the tables of this program in the database of the Go program, and copies its data into them; goes on where it was interrupted. */
export async function migrateFromGo({
  settings,
  goKeyFile,
  cleaner,
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
    unlimited: true,
    allowsUnfinished: true,
  });
  try {
    return await migrateGoDatabase({
      ...deps,
      database,
      keyring,
      goKeys,
      settings: { ...defaultSettings, cleaner },
      observers: [],
    });
  } finally {
    await database.close();
  }
}

interface MigrateToGoOptions {
  readonly settings: DatabaseSettings;
  /** The key file of the Go program; empty: the file of this one. */
  readonly goKeyFile: string;
  readonly log: Logger;
}

/** @throws InvalidConfigurationError if the key file has not exactly one key */
export async function migrateToGo({
  settings,
  goKeyFile,
  log,
}: MigrateToGoOptions): Promise<ToGoMigrationResult> {
  if (settings.kind === 'embedded') await assertExists(settings.folder);
  const deps = { clock: systemClock, random: systemRandom, log };
  const [goKey, ...others] = await readKeys(goKeyFile === '' ? settings.keyFile : goKeyFile);
  if (goKey === undefined || others.length > 0) {
    throw new InvalidConfigurationError(
      'cannot use the key file of the Go program: it must have one key, which may be named by --go-key-file',
    );
  }
  const keyring = await openKeyring(settings, { ...deps, creates: false });
  const database = await openDatabase({ ...deps, settings, migrates: 'never', unlimited: true });
  try {
    return await migrateToGoDatabase({ database, keyring, goKey });
  } finally {
    await database.close();
  }
}
