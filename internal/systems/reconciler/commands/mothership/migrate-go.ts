import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { loadDatabaseSettings } from '../../mothership/config/load-settings.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { migrateFromGo } from '../../mothership/program/migrate-from-go.ts';
import { migrateToGo } from '../../mothership/program/migrate-to-go.ts';
import { statusBounds } from '../../mothership/program/scheduler-settings.ts';
import { kymaLog } from '../kyma-log.ts';

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
