import type { ProcessLike } from '../../console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { migrateToGo as migrate } from '../../mothership/program/migrate-to-go.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';

/** Brings the tables of the Go program to the state of this one. */
export async function migrateToGo(
  flags: Pick<MothershipFlags, 'config' | 'verbose' | 'databaseUrl' | 'dataDir'> & {
    readonly goKeyFile: string;
  },
  host: ProcessLike,
): Promise<void> {
  const log = createLogger({ debug: flags.verbose, fields: 'kyma' });
  const settings = await loadDatabaseSettings(flags, host.env);
  const rows = await migrate({ settings, goKeyFile: flags.goKeyFile, log });
  for (const [what, count] of Object.entries(rows)) host.stdout.write(`${what}: ${count}\n`);
}
