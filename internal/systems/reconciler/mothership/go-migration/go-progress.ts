/** How far the migration of a database of the Go program has come, so that one that was interrupted goes on. */
import { sql, type Transaction } from 'kysely';
import { ProviderError } from '../../../../framework/base/index.ts';
import type { Store } from '../database/database.ts';
import { GO_MIGRATION, isMigratingFromGo } from '../database/migrations/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { lockGoTables } from './go-tables.ts';

type Tx = Transaction<Schema>;

/** The newest rows of the Go program; each of its changes adds one. */
interface GoProgress {
  readonly clusters: number;
  readonly configurations: number;
  readonly statuses: number;
  /** Statuses with greater ids were copied, as far as they are kept. */
  readonly statusesFrom: number;
  /** Reconciliations with smaller ids were copied. */
  readonly reconciliationsUntil: string;
}

const newest = sql`
  coalesce((select max(version) from public.inventory_clusters), 0)::bigint as clusters,
  coalesce((select max(version) from public.inventory_cluster_configs), 0)::bigint as configurations,
  coalesce((select max(id) from public.inventory_cluster_config_statuses), 0)::bigint as statuses`;

/**
 * Begins a migration, or goes on with the one that was interrupted. One is begun again if the Go program has written since.
 *
 * @throws terminal if the tables are not those of the Go program's last version, or this program has clusters already
 */
export async function beginMigration(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    await lockGoTables(tx);
    if (await isMigratingFromGo(tx)) {
      if (await isUnchanged(tx)) return;
      await sql`truncate clusters, cluster_configs, cluster_statuses, runtimes, reconciliations, operations`.execute(
        tx,
      );
      await endMigration(tx);
    } else {
      await refuseClusters(tx);
    }
    await sql`create table ${sql.table(GO_MIGRATION)} as
      select ${newest}, (select coalesce(max(id), 0) from public.inventory_cluster_config_statuses)::bigint as "statusesFrom",
        ''::text as "reconciliationsUntil"`.execute(tx);
    await sql`create table ${sql.table(STATUSES_OF_CLUSTERS)} (runtime_id text primary key, copied integer not null)`.execute(
      tx,
    );
  });
}

/** Statuses that were copied, by cluster. */
export const STATUSES_OF_CLUSTERS = `${GO_MIGRATION}_statuses`;

/**
 * Runs a step of the migration in a transaction, during which the Go program cannot write.
 *
 * @throws terminal if it has written since the migration began
 */
export async function migrationStep<T>(
  store: Store,
  work: (tx: Tx, progress: GoProgress) => Promise<T>,
): Promise<T> {
  return store.transaction(async (tx) => {
    await lockGoTables(tx);
    const { rows } = await sql<GoProgress>`select * from ${sql.table(GO_MIGRATION)}`.execute(tx);
    const [progress] = rows;
    if (progress === undefined || !(await isUnchanged(tx))) {
      throw new ProviderError(
        'terminal',
        'cannot migrate the database: the Go program writes to it; stop its motherships, and migrate again',
      );
    }
    return work(tx, progress);
  });
}

export async function storeProgress(
  tx: Tx,
  { statusesFrom, reconciliationsUntil }: Partial<GoProgress>,
): Promise<void> {
  await sql`update ${sql.table(GO_MIGRATION)} set "statusesFrom" = coalesce(${statusesFrom ?? null}::bigint, "statusesFrom"),
    "reconciliationsUntil" = coalesce(${reconciliationsUntil ?? null}::text, "reconciliationsUntil")`.execute(
    tx,
  );
}

/** From then on this program may start. */
export async function endMigration(tx: Tx): Promise<void> {
  for (const table of [GO_MIGRATION, STATUSES_OF_CLUSTERS])
    await sql`drop table ${sql.table(table)}`.execute(tx);
}

async function isUnchanged(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(GO_MIGRATION)} m, (select ${newest}) as g
    where (m.clusters, m.configurations, m.statuses) = (g.clusters, g.configurations, g.statuses)
  `.execute(tx);
  return rows.length > 0;
}

async function refuseClusters(tx: Tx): Promise<void> {
  const known = await tx.selectFrom('clusters').select('version').limit(1).executeTakeFirst();
  if (known === undefined) return;
  throw new ProviderError('terminal', 'cannot migrate the database: it has clusters of this program already');
}
