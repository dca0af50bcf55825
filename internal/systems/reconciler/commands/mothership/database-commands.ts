/**
 * Commands on the database of a mothership: a key for it, the tables of the Go program in both directions, and other keys.
 */
import { constants, copyFile, rm } from 'node:fs/promises';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { createKeyFile } from '../../mothership/encryption/key-file.ts';
import { migrateFromGo, migrateToGo } from '../../mothership/program/migrate-go.ts';
import { assertExists } from '../../mothership/program/open-database.ts';
import { pruneKeys, rotateKeys } from '../../mothership/program/rotate-keys.ts';
import { statusBounds } from '../../mothership/program/scheduler-settings.ts';
import { kymaLog } from '../kyma-log.ts';

/**
 * Makes a new key file for a database that is named. With `backup`, the old one gets another name; without, it is lost.
 *
 * @throws InvalidConfigurationError if no database is named, or there is no embedded database in the folder
 */
export async function install(
  flags: Pick<MothershipFlags, 'config' | 'databaseUrl' | 'dataDir'> & { readonly backup: string | boolean },
  host: ProcessLike,
): Promise<void> {
  const settings = await loadDatabaseSettings(flags, host.env);
  if (settings.kind === 'embedded') await assertExists(settings.folder);
  const { keyFile } = settings;
  if (flags.backup !== 'false') {
    const backup = await backupOf(keyFile);
    if (backup !== undefined) host.stdout.write(`kept the old key as ${backup}\n`);
  }
  await rm(keyFile, { force: true });
  await createKeyFile(keyFile);
  host.stdout.write(`made the key ${keyFile}\n`);
}

/** A copy by the time, beside those that are there: what is encrypted may need each of them. @returns its name; undefined: there is no key */
async function backupOf(keyFile: string): Promise<string | undefined> {
  for (let second = Math.floor(Date.now() / 1000); ; second++) {
    const backup = `${keyFile}.${second}.bak`;
    try {
      await copyFile(keyFile, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code !== 'EEXIST') throw error;
    }
  }
}

type ToGoFlags = Pick<MothershipFlags, 'config' | 'verbose' | 'logFormat' | 'databaseUrl' | 'dataDir'> & {
  readonly goKeyFile: string;
};
export type FromGoFlags = ToGoFlags & Pick<MothershipFlags, 'statusesKeepNLatest' | 'statusesMaxAgeDays'>;

/** Takes over the database of the Go program, and prints how many rows of what it has then. */
export async function fromGo(flags: FromGoFlags, host: ProcessLike): Promise<void> {
  const options = await optionsOf(flags, host);
  printRows(await migrateFromGo({ ...options, cleaner: statusBounds(flags) }), host);
}

/** Brings the tables of the Go program to the state of this one, and prints how many rows of what were written. */
export async function toGo(flags: ToGoFlags, host: ProcessLike): Promise<void> {
  printRows(await migrateToGo(await optionsOf(flags, host)), host);
}

async function optionsOf(flags: ToGoFlags, host: ProcessLike) {
  const settings = await loadDatabaseSettings(flags, host.env);
  const log = kymaLog(flags, host);
  log.info('opening the database, and comparing its tables');
  return { settings, goKeyFile: flags.goKeyFile, log };
}

function printRows(rows: object, host: ProcessLike): void {
  for (const [what, count] of Object.entries(rows)) host.stdout.write(`${what}: ${count}\n`);
}

/** Rotates the encryption key of a database that motherships may use. */
export async function rotateKey(
  flags: Pick<MothershipFlags, 'config' | 'verbose' | 'logFormat' | 'databaseUrl' | 'dataDir'> & {
    readonly prune: boolean;
    readonly newKey: boolean;
  },
  host: ProcessLike,
): Promise<void> {
  const log = kymaLog(flags, host);
  const settings = await loadDatabaseSettings(flags, host.env);
  if (flags.prune) {
    const { removed } = await pruneKeys({ settings, log });
    host.stdout.write(`removed ${removed} old keys\n`);
  } else {
    const { rows } = await rotateKeys({ settings, log, addsKey: flags.newKey });
    host.stdout.write(`encrypted ${rows} texts with ${flags.newKey ? 'a new key' : 'the first key'}\n`);
  }
}
