import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Deps,
  InvalidConfigurationError,
  messageOf,
  ProviderError,
} from '../../../../framework/base/index.ts';

import type { DatabaseSettings } from '../config/database-settings.ts';
import type { Database } from '../database/database.ts';
import { checkSchema, migrate, refuseUnfinishedMigration } from '../database/migrations.ts';
import { openEmbedded } from '../database/pglite.ts';
import { openPostgres } from '../database/postgres.ts';
import { createKeyFile, openKeyFile } from '../encryption/key-file.ts';
import type { Keyring } from '../encryption/keyring.ts';

export interface OpenDatabaseOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly settings: DatabaseSettings;
  /**
   * Whether the tables may be brought to the version of this program; those of an embedded database always are. `never`: a command on
   * the data of a database makes neither it nor its tables.
   */
  readonly migrates: boolean | 'never';
  /** Checks the database before anything in it changes. Default: nothing. */
  readonly check?: (database: Database) => Promise<void>;
  /** Whether statements have no time limit, for those that read whole tables. Default false. */
  readonly unlimited?: boolean;
  /** Whether a migration from the Go program may not have ended. Default false. */
  readonly allowsUnfinished?: boolean;
}

const UNLIMITED = { statementTimeoutMs: 0 } as const;

/** PGlite makes the file with each of its databases, as Postgres does. @throws InvalidConfigurationError if there is none */
export async function assertExists(folder: string): Promise<void> {
  const isThere = await stat(join(folder, 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );
  if (isThere) return;
  throw new InvalidConfigurationError(
    `cannot use the embedded database ${resolve(folder)}: there is none; --data-dir must be that of mothership start`,
  );
}

/**
 * Opens the database, makes what is missing, and checks that its tables are those of this program.
 *
 * @throws InvalidConfigurationError if it must not be made, and there is none
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { settings, log, migrates } = options;
  if (settings.kind === 'embedded' && migrates === 'never') await assertExists(settings.folder);
  else if (settings.kind === 'embedded') {
    log.info(
      'using an embedded database, for this process alone; --database-url names a Postgres, for several',
      { folder: resolve(settings.folder) },
    );
  }
  const database = await open(options);
  try {
    await options.check?.(database);
    if (migrates !== 'never' && (migrates || settings.kind === 'embedded')) {
      const versions = await migrateTables(database, options);
      if (versions.length > 0) log.info('the tables were migrated', { versions });
    }
    await checkSchema(database.queries);
    if (options.allowsUnfinished !== true) await refuseUnfinishedMigration(database.queries);
    return database;
  } catch (error) {
    await database.close().catch(() => undefined);
    throw asUnusable(error);
  }
}

const open = async (options: OpenDatabaseOptions): Promise<Database> =>
  options.settings.kind === 'embedded'
    ? openEmbedded({ ...options, folder: options.settings.folder })
    : openPostgres({ ...options, ...options.settings, ...(options.unlimited && UNLIMITED) });

const asUnusable = (error: unknown): ProviderError =>
  error instanceof ProviderError
    ? error
    : new ProviderError('transient', `cannot use the database: ${messageOf(error)}`, { cause: error });

/** On Postgres without the limit of a statement: some read whole tables. */
async function migrateTables(database: Database, options: OpenDatabaseOptions): Promise<number[]> {
  const { settings } = options;
  if (settings.kind === 'embedded') return migrate(database.queries);
  const unlimited = openPostgres({ ...options, ...settings, maxConnections: 1, ...UNLIMITED });
  try {
    return await migrate(unlimited.queries);
  } finally {
    await unlimited.close();
  }
}

/** Reads the encryption keys. @param creates whether a missing file is made */
export async function openKeyring(
  settings: DatabaseSettings,
  { clock, log, creates }: Pick<Deps, 'clock' | 'log'> & { readonly creates: boolean },
): Promise<Keyring> {
  if (creates && (await createKeyFile(settings.keyFile))) {
    log.info('made an encryption key; without it the database cannot be read, so keep a copy', {
      file: resolve(settings.keyFile),
    });
  }
  return openKeyFile(settings.keyFile, clock);
}
