import { type Kysely, sql } from 'kysely';
import { ProviderError } from '../../../../framework/base/index.ts';
import { constraints, inventory, type Migration, rollouts, scheduler, tenants } from './migrations.ts';
import { SCHEMA } from './schema.ts';

/** All steps, in their order. */
export const migrations: readonly Migration[] = [inventory, scheduler, rollouts, constraints, tenants];

/** Key of the advisory lock under which the schema changes, for all processes on a database. */
const LOCK = 7_310_411;

/** Exists while a database of the Go program is migrated (`go-migration/`): some of its clusters are not there yet then. */
export const GO_MIGRATION = 'go_migration';

/** The version that this program makes and understands. */
export const schemaVersion = migrations.length;

/**
 * Brings the schema to the version of this program, in one transaction and under a lock, so that processes that start at
 * the same moment do it once. Returns the versions it applied.
 *
 * @throws terminal if the schema is newer than this program: nothing is changed then
 */
export async function migrate<T>(
  queries: Kysely<T>,
  steps: readonly Migration[] = migrations,
): Promise<number[]> {
  return queries.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
    await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(tx);
    await sql`create table if not exists ${sql.id(SCHEMA, 'migrations')} (
      version integer primary key, name text not null, applied timestamptz not null default clock_timestamp()
    )`.execute(tx);
    const found = await sql<{ version: number }>`
      select coalesce(max(version), 0)::int as version from ${sql.id(SCHEMA, 'migrations')}
    `.execute(tx);
    const current = found.rows[0]?.version ?? 0;
    refuseNewer(current, steps.length);
    const missing = steps.filter(({ version }) => version > current);
    for (const { version, name, statements } of missing) {
      for (const statement of statements) await sql.raw(statement).execute(tx);
      await sql`insert into ${sql.id(SCHEMA, 'migrations')} (version, name) values (${version}, ${name})`.execute(
        tx,
      );
    }
    return missing.map(({ version }) => version);
  });
}

/**
 * Checks that the schema has the version of this program.
 *
 * @throws terminal if it is older, newer or missing
 */
export async function checkSchema<T>(queries: Kysely<T>): Promise<void> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${`${SCHEMA}.migrations`})::text as found
  `.execute(queries);
  const current = rows[0]?.found ? await schemaVersionOf(queries) : 0;
  refuseNewer(current, schemaVersion);
  if (current < schemaVersion) {
    throw new ProviderError(
      'terminal',
      `cannot use the database: its schema has version ${current}, this program needs ${schemaVersion}; start once with --migrate-database`,
    );
  }
}

async function schemaVersionOf<T>(queries: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0)::int as version from ${sql.id(SCHEMA, 'migrations')}
  `.execute(queries);
  return rows[0]?.version ?? 0;
}

function refuseNewer(found: number, known: number): void {
  if (found <= known) return;
  throw new ProviderError(
    'terminal',
    `cannot use the database: its schema has version ${found}, newer than ${known} of this program; use the newer program`,
  );
}

/** Whether a database of the Go program is being migrated, or that was interrupted. */
export async function isMigratingFromGo<T>(queries: Kysely<T>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${`${SCHEMA}.${GO_MIGRATION}`}) is not null as found
  `.execute(queries);
  return rows[0]?.found === true;
}

/** @throws terminal while a database of the Go program is being migrated */
export async function refuseUnfinishedMigration<T>(queries: Kysely<T>): Promise<void> {
  if (!(await isMigratingFromGo(queries))) return;
  throw new ProviderError(
    'terminal',
    'cannot use the database: its migration from the Go program has not ended; run migrate-from-go again',
  );
}
