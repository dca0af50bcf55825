/** The tables of the Go program, in the schema `public` of the same database. */
import { sql, type Transaction } from 'kysely';
import { ProviderError } from '../../../../framework/base/index.ts';

import type { Queries } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

/** The last migration of the Go program. */
const GO_SCHEMA_VERSION = 17;

/** Its times have no zone, and are in UTC. */
export const utc = (column: string) => sql`${sql.ref(column)} at time zone 'UTC'`;

/**
 * Until the transaction ends, no other program can write the tables.
 *
 * @throws terminal if they are not those of the last version
 */
export async function lockGoTables(tx: Transaction<Schema>): Promise<void> {
  await assertGoTables(tx);
  await sql`lock table public.inventory_clusters, public.inventory_cluster_configs,
    public.inventory_cluster_config_statuses, public.scheduler_reconciliations, public.scheduler_operations
    in share row exclusive mode`.execute(tx);
}

/** @throws terminal if the tables are not those of the last version of the Go program */
export async function assertGoTables(tx: Queries): Promise<void> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass('public.schema_migrations')::text as found
  `.execute(tx);
  const version = rows[0]?.found
    ? (
        await sql<{
          version: number;
          dirty: boolean;
        }>`select version, dirty from public.schema_migrations`.execute(tx)
      ).rows[0]
    : undefined;
  if (version === undefined || version.dirty || version.version !== GO_SCHEMA_VERSION) {
    const found = version === undefined ? 'none' : `${version.version}${version.dirty ? ', dirty' : ''}`;
    throw new ProviderError(
      'terminal',
      `cannot migrate the database: the schema of the Go program must have version ${GO_SCHEMA_VERSION}, found ${found}`,
    );
  }
}
