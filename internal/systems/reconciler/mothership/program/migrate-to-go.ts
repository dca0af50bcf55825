import {
  InvalidConfigurationError,
  type Logger,
  systemClock,
  systemRandom,
} from '../../../../framework/base/index.ts';

import type { DatabaseSettings } from '../config/database-settings.ts';
import { readKeys } from '../encryption/key-file.ts';
import { migrateToGoDatabase, type ToGoMigrationResult } from '../go-migration/migrate-to-go-database.ts';
import { assertExists, openDatabase, openKeyring } from './open-database.ts';

export interface MigrateToGoOptions {
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
