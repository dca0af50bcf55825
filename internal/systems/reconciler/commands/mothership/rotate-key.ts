import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { pruneKeys, rotateKeys } from '../../mothership/program/rotate-keys.ts';
import { kymaLog } from '../kyma-log.ts';

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
