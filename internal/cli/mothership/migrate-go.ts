import type { ProcessLike } from '../../console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { migrateFromGo } from '../../mothership/program/migrate-from-go.ts';
import { migrateToGo } from '../../mothership/program/migrate-to-go.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { logTo } from '../start/log-format.ts';

/** `from` takes over the database of the Go program, `to` brings the tables of that program to the state of this one. */
const MIGRATIONS = { from: migrateFromGo, to: migrateToGo } as const;

/** Migrates, and prints how many rows of what were written. */
export async function migrateGo(
  direction: keyof typeof MIGRATIONS,
  flags: Pick<MothershipFlags, 'config' | 'verbose' | 'logFormat' | 'databaseUrl' | 'dataDir'> & {
    readonly goKeyFile: string;
  },
  host: ProcessLike,
): Promise<void> {
  const log = createLogger({
    debug: flags.verbose,
    fields: 'kyma',
    ...logTo(flags.logFormat, host),
  });
  const settings = await loadDatabaseSettings(flags, host.env);
  const rows = await MIGRATIONS[direction]({ settings, goKeyFile: flags.goKeyFile, log });
  for (const [what, count] of Object.entries(rows)) host.stdout.write(`${what}: ${count}\n`);
}
