import type { ProcessLike } from '../../console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { migrateGo } from '../../mothership/program/migrate-go.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';

/** Migrates a database of the Go program, while no mothership runs on it. */
export async function migrateFromGo(
  flags: Pick<MothershipFlags, 'config' | 'verbose' | 'databaseUrl' | 'dataDir'>,
  host: ProcessLike,
): Promise<void> {
  const log = createLogger({ debug: flags.verbose, fields: 'kyma' });
  const settings = await loadDatabaseSettings(flags, host.env);
  const counts = await migrateGo({ settings, log });
  const texts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  host.stdout.write(`migrated ${texts.join(', ')}\n`);
}
