import { rename, rm } from 'node:fs/promises';
import type { ProcessLike } from '../../console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { createKeyFile } from '../../mothership/encryption/key-file.ts';

/** Makes a new key file. With `backup`, the old one gets another name; without, it is lost. */
export async function install(
  flags: Pick<MothershipFlags, 'config'> & { readonly backup: string | boolean },
  host: ProcessLike,
): Promise<void> {
  const { keyFile } = await loadDatabaseSettings({ ...flags, databaseUrl: '', dataDir: '' }, host.env);
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
