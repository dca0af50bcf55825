import { constants, copyFile, rm } from 'node:fs/promises';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { createKeyFile } from '../../mothership/encryption/key-file.ts';
import { assertExists } from '../../mothership/program/open-database.ts';

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
