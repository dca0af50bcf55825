import { sql, type Transaction } from 'kysely';
import type { Database, Queries } from '../database/database.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { CleanerSettings } from '../model/settings.ts';
import type { ChangeContext } from '../reconciliations/context.ts';
import { continueReconciliation } from '../reconciliations/continue-reconciliations.ts';
import { lockReconciliations } from '../reconciliations/lock-reconciliations.ts';
import { copyClusters, copyConfigurations } from './copy-inventory.ts';
import { copyReconciliations } from './copy-reconciliations.ts';
import { copyStatuses } from './copy-statuses.ts';
import { addCurrentStates } from './current-states.ts';
import { createGoCipher } from './go-cipher.ts';
import { beginMigration, endMigration, migrationStep } from './go-progress.ts';

export interface GoMigrationOptions extends ChangeContext {
  readonly database: Database;
  /** Keys of the Go program. */
  readonly goKeys: readonly string[];
  readonly keyring: Keyring;
  readonly settings: ChangeContext['settings'] & {
    readonly cleaner: Pick<CleanerSettings, 'keepStatuses' | 'maxStatusAgeMs'>;
  };
  /** Statuses that one transaction copies at most; default 20,000. */
  readonly statusBatchSize?: number;
}

/** Rows that were migrated, by table. */
export interface GoMigrationResult {
  readonly clusters: number;
  readonly configurations: number;
  readonly statuses: number;
  readonly reconciliations: number;
  readonly operations: number;
}

type Tx = Transaction<Schema>;

const STATUS_BATCH = 20_000;

/**
 * Copies inventory, reconciliations and operations of the Go program from the schema `public` of the same database, with
 * their versions and ids. Its tables stay as they are, those of the configuration store too. Statuses are those that the cleaner
 * keeps. Each batch is a transaction: called again after an interruption, it goes on. This program refuses to start until the last
 * transaction, which makes the current states of the clusters.
 *
 * Operations that were in progress are sent again when their component reconcilers gave no sign of life until the orphan
 * timeout: their callbacks have no token, and are refused.
 *
 * @throws terminal if the database is not one of the Go program's last version, if this one has clusters already, or if the Go
 *   program writes meanwhile
 */
export async function migrateGoDatabase(options: GoMigrationOptions): Promise<GoMigrationResult> {
  const { database, keyring, log, settings, statusBatchSize: batchSize = STATUS_BATCH } = options;
  const ciphers = { decrypt: createGoCipher(options.goKeys), keyring };
  await beginMigration(database);
  await copyClusters(database, ciphers);
  await copyConfigurations(database, ciphers);
  await copyStatuses(database, { ...settings.cleaner, batchSize }, log);
  await copyReconciliations(database, { ...settings, log });
  return migrationStep(database, async (tx) => {
    await continueSequences(tx);
    const result = await countRows(tx);
    await addCurrentStates(tx, keyring);
    await releaseOperations(tx, options);
    await endMigration(tx);
    return result;
  });
}

async function countRows(queries: Queries): Promise<GoMigrationResult> {
  const { rows } = await sql<GoMigrationResult>`
    select (select count(*) from clusters) as clusters, (select count(*) from cluster_configs) as configurations,
      (select count(*) from cluster_statuses) as statuses, (select count(*) from reconciliations) as reconciliations,
      (select count(*) from operations) as operations
  `.execute(queries);
  const [counts] = rows;
  if (counts === undefined) throw new TypeError('a query without a condition has a row');
  return counts;
}

/** New versions come after those of the Go program, also of those that were not copied. */
async function continueSequences(tx: Tx): Promise<void> {
  for (const [table, column, goTable] of [
    ['clusters', 'version', 'inventory_clusters'],
    ['cluster_configs', 'version', 'inventory_cluster_configs'],
    ['cluster_statuses', 'id', 'inventory_cluster_config_statuses'],
  ] as const) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${sql.ref(column)}), 0) + 1, false)
      from ${sql.id('public', goTable)}
    `.execute(tx);
  }
}

async function releaseOperations(tx: Tx, context: ChangeContext): Promise<void> {
  const running = await tx
    .selectFrom('reconciliations')
    .select('scheduling_id')
    .where('finished', '=', false)
    .execute();
  for (const { scheduling_id } of running) {
    const [locked] = await lockReconciliations(tx, [scheduling_id]);
    if (locked !== undefined) await continueReconciliation(tx, locked, context);
  }
}
