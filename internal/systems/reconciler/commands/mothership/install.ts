import { rename, rm } from 'node:fs/promises';
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
  const backup = `${keyFile}.${Math.floor(Date.now() / 1000)}.bak`;
  const keeps = flags.backup !== 'false';
  if (keeps) {
    const isRenamed = await rename(keyFile, backup).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    if (isRenamed) host.stdout.write(`kept the old key as ${backup}\n`);
  } else await rm(keyFile, { force: true });
  await createKeyFile(keyFile);
  host.stdout.write(`made the key ${keyFile}\n`);
}
