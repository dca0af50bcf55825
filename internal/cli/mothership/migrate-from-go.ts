import type { ProcessLike } from '../../console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { migrateFromGo as migrate } from '../../mothership/program/migrate-from-go.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';

/** Takes over the database of the Go program. */
export async function migrateFromGo(
  flags: Pick<MothershipFlags, 'config' | 'verbose' | 'databaseUrl' | 'dataDir'> & {
    readonly goKeyFile: string;
  },
  host: ProcessLike,
): Promise<void> {
  const log = createLogger({ debug: flags.verbose, fields: 'kyma' });
  const settings = await loadDatabaseSettings(flags, host.env);
  const rows = await migrate({ settings, goKeyFile: flags.goKeyFile, log });
  for (const [table, count] of Object.entries(rows)) host.stdout.write(`${table}: ${count}\n`);
}
