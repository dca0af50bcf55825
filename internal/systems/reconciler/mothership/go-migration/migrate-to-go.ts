import { sql, type Transaction } from 'kysely';
import { ProviderError } from '../../../../framework/base/index.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { appendStatus, decryptComponents, decryptKubeconfig } from '../inventory/cluster-states.ts';
import { encryptForGo, goKeyIdOf, lockGoTables } from './go-database.ts';

interface ToGoMigrationOptions {
  readonly database: Database;
  readonly keyring: Keyring;
  /** The key of the Go program, which reads only one. */
  readonly goKey: string;
}

/** Rows that the tables of the Go program got, and its runs that were ended. */
export interface ToGoMigrationResult {
  readonly clusters: number;
  readonly configurations: number;
  readonly statuses: number;
  /** Clusters of it that were deleted here. */
  readonly deleted: number;
  readonly endedReconciliations: number;
}

type Tx = Transaction<Schema>;

/**
 * The way back: brings the tables of the Go program to the state of this one. Since versions and ids were kept, those that they
 * do not have are added. Reconciliations of this program are left out; clusters that it works on are pending there. All or
 * nothing; a second time adds nothing. The motherships must be stopped.
 *
 * @throws terminal if the Go program has written since its database was migrated
 */
export async function migrateToGoDatabase(options: ToGoMigrationOptions): Promise<ToGoMigrationResult> {
  return options.database.transaction(async (tx) => {
    await lockGoTables(tx);
    await assertUnchanged(tx);
    await assertKey(tx, options.goKey);
    await makePending(tx);
    const deleted = await markDeleted(tx);
    const clusters = await addClusters(tx, options);
    const configurations = await addConfigurations(tx, options);
    const statuses = await addStatuses(tx);
    const endedReconciliations = await endReconciliations(tx);
    await continueSequences(tx);
    return { clusters, configurations, statuses, deleted, endedReconciliations };
  });
}

/** Each change of the Go program adds a status. */
async function assertUnchanged(tx: Tx): Promise<void> {
  const { rows } = await sql<{ changed: boolean }>`
    select exists (
      select 1 from public.inventory_cluster_config_statuses g left join cluster_statuses s on s.id = g.id
      where s.created <> g.created at time zone 'UTC'
        or s.id is null and g.id > (select coalesce(max(id), 0) from cluster_statuses)
    ) as changed
  `.execute(tx);
  if (rows[0]?.changed !== false) {
    throw new ProviderError(
      'terminal',
      'cannot migrate the database: the Go program has changed its tables since they were migrated',
    );
  }
}

/** The Go program reads one key: all of its texts must have it. */
async function assertKey(tx: Tx, goKey: string): Promise<void> {
  const { rows } = await sql<{ differs: boolean }>`
    select exists (select 1 from public.inventory_clusters where not starts_with(kubeconfig, ${goKeyIdOf(goKey)})) as differs
  `.execute(tx);
  if (rows[0]?.differs !== false) {
    throw new ProviderError(
      'terminal',
      'cannot migrate the database: the Go program has encrypted with another key, whose file --go-key-file names',
    );
  }
}

/** The ids of configurations and statuses follow by the foreign keys. */
async function markDeleted(tx: Tx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update public.inventory_clusters g set runtime_id = c.runtime_id, deleted = true
    from clusters c where c.version = g.version and c.deleted and not coalesce(g.deleted, false)
  `.execute(tx);
  for (const table of ['inventory_cluster_configs', 'inventory_cluster_config_statuses']) {
    await sql`
      update public.${sql.ref(table)} g set deleted = true
      from public.inventory_clusters c
      where c.version = g.cluster_version and c.deleted and not coalesce(g.deleted, false)
    `.execute(tx);
  }
  return Number(numAffectedRows);
}

async function addClusters(tx: Tx, { keyring, goKey }: ToGoMigrationOptions): Promise<number> {
  const added = await tx
    .selectFrom('clusters as c')
    .select(['c.version', 'c.kubeconfig', 'c.kubeconfig_key'])
    .where(sql<boolean>`not exists (select 1 from public.inventory_clusters g where g.version = c.version)`)
    .orderBy('c.version')
    .execute();
  for (const cluster of added) {
    // Without one it is in a Secret, which the Go program reads too.
    const kubeconfig = encryptForGo(decryptKubeconfig(cluster, keyring) ?? '', goKey);
    await sql`
      insert into public.inventory_clusters (version, runtime_id, runtime, metadata, kubeconfig, contract, deleted, created)
      select version, runtime_id, runtime::text, metadata::text, ${kubeconfig}, contract, deleted, created at time zone 'UTC'
      from clusters where version = ${cluster.version}
    `.execute(tx);
  }
  return added.length;
}

async function addConfigurations(tx: Tx, { keyring, goKey }: ToGoMigrationOptions): Promise<number> {
  const added = await tx
    .selectFrom('cluster_configs as k')
    .select(['k.version', 'k.components', 'k.components_key'])
    .where(
      sql<boolean>`not exists (select 1 from public.inventory_cluster_configs g where g.version = k.version)
        and exists (select 1 from public.inventory_clusters c where c.version = k.cluster_version)`,
    )
    .orderBy('k.version')
    .execute();
  for (const configuration of added) {
    const components = encryptForGo(JSON.stringify(decryptComponents(configuration, keyring)), goKey);
    await sql`
      insert into public.inventory_cluster_configs (version, runtime_id, cluster_version, kyma_version, kyma_profile,
        components, administrators, contract, deleted, created)
      select version, runtime_id, cluster_version, kyma_version, kyma_profile, ${components}, administrators::text, contract,
        deleted, created at time zone 'UTC'
      from cluster_configs where version = ${configuration.version}
    `.execute(tx);
  }
  return added.length;
}

async function addStatuses(tx: Tx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into public.inventory_cluster_config_statuses (id, runtime_id, cluster_version, config_version, status, deleted,
      created)
    select s.id, s.runtime_id, s.cluster_version, s.config_version, s.status, s.deleted, s.created at time zone 'UTC'
    from cluster_statuses s
    where not exists (select 1 from public.inventory_cluster_config_statuses g where g.id = s.id)
      and exists (select 1 from public.inventory_cluster_configs k where k.version = s.config_version)
  `.execute(tx);
  return Number(numAffectedRows);
}

/**
 * Nothing would end a run of this program there. The status is added here too, so that ids stay the same: a run that ends later does
 * not replace it.
 */
async function makePending(tx: Tx): Promise<void> {
  const running = await tx
    .selectFrom('runtimes')
    .selectAll()
    .where('status', 'in', ['reconciling', 'deleting'])
    .execute();
  for (const runtime of running) {
    await appendStatus(tx, runtime, runtime.status === 'deleting' ? 'delete_pending' : 'reconcile_pending');
  }
}

async function endReconciliations(tx: Tx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update public.scheduler_reconciliations g set finished = true, lock = 'unlock-' || g.scheduling_id,
      status = coalesce((select r.status from reconciliations r where r.scheduling_id = g.scheduling_id and r.finished), 'error'),
      updated = now() at time zone 'UTC'
    where not coalesce(g.finished, false)
  `.execute(tx);
  return Number(numAffectedRows);
}

async function continueSequences(tx: Tx): Promise<void> {
  for (const [table, column] of [
    ['inventory_clusters', 'version'],
    ['inventory_cluster_configs', 'version'],
    ['inventory_cluster_config_statuses', 'id'],
  ] as const) {
    await sql`
      select setval(pg_get_serial_sequence(${`public.${table}`}, ${column}), coalesce(max(${sql.ref(column)}), 0) + 1, false)
      from ${sql.table(`public.${table}`)}
    `.execute(tx);
  }
}
