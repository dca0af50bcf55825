/**
 * The database of the Go program becomes one of this program: clusters, configurations, statuses, reconciliations and operations, in steps
 * that are transactions, so that a migration that was interrupted goes on.
 */
import { sql, type Transaction } from 'kysely';
import { type Logger, ProviderError } from '../../../../framework/base/index.ts';
import type { Database, Queries, Store } from '../database/database.ts';
import { GO_MIGRATION, isMigratingFromGo } from '../database/migrations.ts';
import { OPERATION_STATES, type Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { appendStatus, COMPONENTS, decryptComponents, KUBECONFIG } from '../inventory/cluster-states.ts';
import { CLUSTER_STATUSES } from '../model/cluster.ts';
import type { CleanerSettings } from '../model/settings.ts';
import {
  type ChangeContext,
  continueReconciliation,
  lockReconciliations,
} from '../reconciliations/continue-reconciliations.ts';
import { createGoCipher, lockGoTables, utc } from './go-database.ts';

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
    await lockReconciliations(tx, [scheduling_id]);
    await continueReconciliation(tx, scheduling_id, context);
  }
}

/** Reconciliations of one transaction, with their operations. */
const BATCH = 5000;

/** @param orphanTimeoutMs operations that were sent wait so long for a sign of life */
async function copyReconciliations(
  store: Store,
  { orphanTimeoutMs, log }: { readonly orphanTimeoutMs: number; readonly log: Logger },
): Promise<void> {
  for (let done = 0; ; done += BATCH) {
    const isLast = await migrationStep(store, async (tx, { reconciliationsUntil }) => {
      const { rows } = await sql<{ id: string }>`
        select scheduling_id as id from public.scheduler_reconciliations where scheduling_id > ${reconciliationsUntil}
        order by scheduling_id limit ${BATCH}
      `.execute(tx);
      const last = rows.at(-1)?.id;
      if (last === undefined) return true;
      const isInBatch = (column: string) =>
        sql`${sql.ref(column)} > ${reconciliationsUntil} and ${sql.ref(column)} <= ${last}`;
      await insertStatuses(
        tx,
        sql`id in (select cluster_config_status from public.scheduler_reconciliations where ${isInBatch('scheduling_id')})`,
      );
      await insertReconciliations(tx, isInBatch('r.scheduling_id'));
      await insertOperations(tx, isInBatch('o.scheduling_id'), orphanTimeoutMs);
      await storeProgress(tx, { reconciliationsUntil: last });
      return rows.length < BATCH;
    });
    if (isLast) return;
    log.info('reconciliations are migrated', { done: done + BATCH });
  }
}

type Condition = ReturnType<typeof sql>;

/** Reconciliations without a status have no cluster any more, and are left out. */
async function insertReconciliations(tx: Transaction<Schema>, condition: Condition): Promise<void> {
  await sql`
    insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
      kyma_version, status, finished, created, updated, finished_at)
    select r.scheduling_id, r.runtime_id, s.cluster_version, s.config_version, s.id,
      case when exists (select 1 from public.scheduler_operations o where o.scheduling_id = r.scheduling_id)
        and not exists (
          select 1 from public.scheduler_operations o where o.scheduling_id = r.scheduling_id and o.type <> 'delete'
        ) then 'delete' else 'reconcile' end,
      k.kyma_version, case when r.status = any(${CLUSTER_STATUSES}::text[]) then r.status else 'error' end, coalesce(r.finished, false), ${utc('r.created')}, ${utc('r.updated')},
      case when r.finished then ${utc('r.updated')} end
    from public.scheduler_reconciliations r
    join public.inventory_cluster_config_statuses s on s.id = r.cluster_config_status
    join public.inventory_cluster_configs k on k.version = s.config_version
    where ${condition}
  `.execute(tx);
}

const isAtComponent = sql`o.state in ('in_progress', 'failed', 'client_error')`;

/** The database sets `picked_up` of operations that were not sent, too. An operation of a run that has ended is not open. */
async function insertOperations(
  tx: Transaction<Schema>,
  condition: Condition,
  orphanTimeoutMs: number,
): Promise<void> {
  await sql`
    insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type,
      priority, state, reason, finished, sent, picked_up, lease_until, retries, retry_id, processing_duration, parameters, debug,
      created, updated, attempts)
    select o.scheduling_id, o.correlation_id, o.runtime_id, r.cluster_version, r.config_version, o.component, o.type,
      o.priority, case when o.state <> all(${OPERATION_STATES}::text[]) or r.finished and ${isAtComponent} then 'orphan' else o.state end,
      o.reason, r.finished, ${isAtComponent}, case when o.state <> 'new' then ${utc('o.picked_up')} end,
      case when ${isAtComponent}
        then ${utc('o.updated')} + ${orphanTimeoutMs}::float8 * interval '1 ms' end,
      o.retries, o.retry_id, coalesce(o.processing_duration, 0),
      case o.component when 'CRDs' then '{}'::jsonb when 'cleaner' then '{"delete_strategy": "system"}'::jsonb end,
      coalesce(o.debug, false), ${utc('o.created')}, ${utc('o.updated')}, case o.state when 'new' then 0 else 1 end
    from public.scheduler_operations o join reconciliations r on r.scheduling_id = o.scheduling_id
    where ${condition}
  `.execute(tx);
}

interface StatusBounds extends Pick<CleanerSettings, 'keepStatuses' | 'maxStatusAgeMs'> {
  /** Statuses that one transaction looks at, and copies at most. */
  readonly batchSize: number;
}

/** The batches between two lines of the log. */
const LOGGED = 20;
/** After a batch of which nothing is kept, the next one is so many times as large: it is only read. */
const GROWTH = 10;

/**
 * Copies the statuses that the cleaner would keep, from the newest to the oldest: as many of each cluster as it keeps, and the
 * newest one of each configuration. What is older stays in the table of the Go program.
 */
async function copyStatuses(store: Store, bounds: StatusBounds, log: Logger): Promise<void> {
  let size = bounds.batchSize;
  for (let batch = 1; ; batch++) {
    const { from, all } = await migrationStep(store, async (tx, { statusesFrom: until, statuses: all }) => {
      const range = { until, after: Math.max(0, until - size) };
      const isEmpty = !(await copyBatch(tx, range, bounds));
      await storeProgress(tx, { statusesFrom: range.after });
      size = isEmpty ? bounds.batchSize * GROWTH : bounds.batchSize;
      return { from: range.after, all };
    });
    if (batch % LOGGED === 0 || from === 0) log.info('statuses are migrated', { done: all - from, all });
    if (from === 0) return;
  }
}

/** Ids, the first one not included. */
interface Range {
  readonly after: number;
  readonly until: number;
}

/** @returns whether it has copied any */
async function copyBatch(
  tx: Transaction<Schema>,
  { after, until }: Range,
  { keepStatuses, maxStatusAgeMs }: StatusBounds,
): Promise<boolean> {
  const isYoung = sql`g.created > (now() - ${maxStatusAgeMs}::float8 * interval '1 ms') at time zone 'UTC'`;
  const isInRange = sql`id > ${after} and id <= ${until}`;
  // Most batches of a large table have nothing to copy: numbers of configurations are grouped at the speed of a scan.
  const { rows } = await sql<Group>`
    select g.config_version as version, k.runtime_id as cluster, g.id as newest,
      case when ${isYoung} then ${keepStatuses} - coalesce(n.copied, 0) else 0 end as free,
      not exists (select 1 from cluster_statuses s where s.config_version = g.config_version) as first
    from (
      select max(id) as id from public.inventory_cluster_config_statuses where ${isInRange} group by config_version
    ) as newest
    join public.inventory_cluster_config_statuses g on g.id = newest.id
    join cluster_configs k on k.version = g.config_version
    left join ${sql.table(STATUSES_OF_CLUSTERS)} n on n.runtime_id = k.runtime_id
  `.execute(tx);
  const places = new Map<string, number>();
  const wanted = rows.flatMap(({ version, cluster, free }) => {
    if (free <= 0) return [];
    const place = places.get(cluster) ?? places.size;
    places.set(cluster, place);
    return [{ version, cluster: place, free }];
  });
  if (wanted.length > 0) {
    await insertStatuses(
      tx,
      sql`id in (
        select id from (
          select g.id, w.free, row_number() over (partition by w.cluster order by g.id desc) as place
          from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(version bigint, cluster int, free int)
          join public.inventory_cluster_config_statuses g on g.config_version = w.version
          where ${isInRange} and ${isYoung}
        ) as placed where place <= ${keepStatuses} and place <= free
      )`,
    );
  }
  const firsts = rows.flatMap(({ first, newest }) => (first ? [newest] : []));
  if (firsts.length > 0) await insertStatuses(tx, sql`id = any(${firsts}::bigint[])`);
  return wanted.length > 0 || firsts.length > 0;
}

/** What a batch has of one configuration. */
interface Group {
  readonly version: number;
  /** Runtime id. */
  readonly cluster: string;
  /** Id of the newest status. */
  readonly newest: number;
  /** Statuses that its cluster may still have; 0 if all of these are too old. */
  readonly free: number;
  /** Whether the configuration has no status yet. */
  readonly first: boolean;
}

/** The Go program stores any text that a client sends as status; those without a meaning count as an error. */
async function insertStatuses(tx: Transaction<Schema>, condition: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with added as (
      insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status, deleted, created)
      select id, runtime_id, cluster_version, config_version,
        case when status = any(${CLUSTER_STATUSES}::text[]) then status else 'error' end,
        coalesce(deleted, false), ${utc('created')}
      from public.inventory_cluster_config_statuses where ${condition}
      on conflict (id) do nothing
      returning runtime_id
    )
    insert into ${sql.table(STATUSES_OF_CLUSTERS)} as n (runtime_id, copied)
    select runtime_id, count(*) from added group by runtime_id
    on conflict (runtime_id) do update set copied = n.copied + excluded.copied
  `.execute(tx);
}

/** Adds the current state of each registered cluster: the newest status of the newest configuration of its newest version. */
async function addCurrentStates(tx: Transaction<Schema>, keyring: Keyring): Promise<void> {
  await sql`
    insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, kyma_version,
      runtime_name, global_account_id, tenant, plan_name, error_count, pending_cause, created)
    select c.runtime_id, c.version, k.version, s.id, s.status, s.created, k.kyma_version,
      coalesce(c.runtime ->> 'name', ''), coalesce(c.metadata ->> 'globalAccountID', ''),
      coalesce(
        'account ' || coalesce(nullif(c.metadata ->> 'globalAccountID', ''), nullif(c.metadata ->> 'subAccountID', '')),
        'cluster ' || c.runtime_id
      ),
      coalesce(c.metadata ->> 'servicePlanName', ''),
      (
        select count(*) from cluster_statuses e where e.config_version = k.version and e.status like '%error%' and e.id > coalesce((
          select max(id) from cluster_statuses g where g.config_version = k.version and g.status in ('ready', 'deleted')
        ), 0)
      ),
      case s.status when 'delete_pending' then 'deletion'
        when 'reconcile_pending' then case when exists (
          select 1 from cluster_statuses g where g.runtime_id = c.runtime_id and g.status = 'ready'
        ) then 'upgrade' else 'registration' end
      end,
      (select min(created) from clusters f where f.runtime_id = c.runtime_id)
    from (select distinct on (runtime_id) * from clusters where not deleted order by runtime_id, version desc) c
    join lateral (
      select * from cluster_configs k where k.cluster_version = c.version and not k.deleted order by version desc limit 1
    ) k on true
    join lateral (
      select * from cluster_statuses s where s.config_version = k.version and not s.deleted order by id desc limit 1
    ) s on true
  `.execute(tx);
  const added = await tx
    .selectFrom('runtimes as r')
    .innerJoin('cluster_configs as k', 'k.version', 'r.config_version')
    .selectAll('r')
    .select(['k.components as sealed', 'k.components_key as sealedWith'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('reconciliations as x')
          .select('x.scheduling_id')
          .whereRef('x.runtime_id', '=', 'r.runtime_id')
          .where('x.finished', '=', false),
      ).as('runs'),
    )
    .execute();
  for (const runtime of added) {
    const { sealed, sealedWith } = runtime;
    const components = decryptComponents({ components: sealed, components_key: sealedWith }, keyring);
    await tx
      .updateTable('runtimes')
      .set({ components: JSON.stringify(components.map(({ component }) => component)) })
      .where('runtime_id', '=', runtime.runtime_id)
      .execute();
    // Its run was removed in the middle: nothing would end it.
    if (runtime.runs) continue;
    if (runtime.status === 'reconciling') await appendStatus(tx, runtime, 'reconcile_pending');
    if (runtime.status === 'deleting') await appendStatus(tx, runtime, 'delete_pending');
  }
}

/* Clusters and configurations of the Go program, whose texts are encrypted anew. */

/** Rows of one transaction. */
const VERSION_BATCH = 200;

interface Ciphers {
  readonly decrypt: ReturnType<typeof createGoCipher>;
  readonly keyring: Keyring;
}

/** The versions are those of the Go program, so that the greatest one shows how far it has come. */
async function copyClusters(store: Store, { decrypt, keyring }: Ciphers): Promise<void> {
  await inBatches(store, async (tx) => {
    const { rows } = await sql<{ version: number; kubeconfig: string }>`
      select version, kubeconfig from public.inventory_clusters
      where version > (select coalesce(max(version), 0) from clusters) order by version limit ${VERSION_BATCH}
    `.execute(tx);
    const sealed = rows.map(({ version, kubeconfig }) => {
      const plain = decrypt(kubeconfig, `the kubeconfig of cluster version ${version}`);
      const { text = null, keyId = null } = plain === '' ? {} : keyring.encrypt(plain, KUBECONFIG);
      return { version, text, key: keyId };
    });
    await sql`
      insert into clusters (version, runtime_id, runtime, metadata, kubeconfig, kubeconfig_key, contract, deleted, created)
      select g.version, g.runtime_id, g.runtime::jsonb, g.metadata::jsonb, s.text, s.key, g.contract,
        coalesce(g.deleted, false), ${utc('g.created')}
      from ${sealedRows(sealed)} join public.inventory_clusters g on g.version = s.version
    `.execute(tx);
    return rows.length;
  });
}

async function copyConfigurations(store: Store, { decrypt, keyring }: Ciphers): Promise<void> {
  await inBatches(store, async (tx) => {
    const { rows } = await sql<{ version: number; components: string | null }>`
      select version, components from public.inventory_cluster_configs
      where version > (select coalesce(max(version), 0) from cluster_configs) order by version limit ${VERSION_BATCH}
    `.execute(tx);
    const sealed = rows.map(({ version, components }) => {
      const plain = components ? decrypt(components, `the components of configuration ${version}`) : '[]';
      const list = ((JSON.parse(plain) ?? []) as GoComponent[]).map(componentOf);
      const { text, keyId } = keyring.encrypt(JSON.stringify(list), COMPONENTS);
      return { version, text, key: keyId };
    });
    await sql`
      insert into cluster_configs (version, runtime_id, cluster_version, kyma_version, kyma_profile, components,
        components_key, administrators, contract, deleted, created)
      select g.version, g.runtime_id, g.cluster_version, g.kyma_version, g.kyma_profile, s.text, s.key,
        coalesce(nullif(nullif(g.administrators, ''), 'null'), '[]')::jsonb, g.contract, coalesce(g.deleted, false), ${utc('g.created')}
      from ${sealedRows(sealed)} join public.inventory_cluster_configs g on g.version = s.version
    `.execute(tx);
    return rows.length;
  });
}

interface Sealed {
  readonly version: number;
  readonly text: string | null;
  readonly key: string | null;
}

const sealedRows = (rows: readonly Sealed[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s(version bigint, text text, key text)`;

async function inBatches(store: Store, copy: (tx: Transaction<Schema>) => Promise<number>): Promise<void> {
  while ((await migrationStep(store, copy)) === VERSION_BATCH);
}

/** Go writes a list without elements as `null`. */
interface GoComponent {
  readonly component: string;
  readonly namespace?: string;
  readonly configuration?: readonly unknown[] | null;
  readonly URL?: string;
  readonly version?: string;
}

const componentOf = ({ component, namespace = '', configuration, URL = '', version = '' }: GoComponent) => ({
  component,
  namespace,
  configuration: configuration ?? [],
  URL,
  version,
});

/* How far the migration of a database of the Go program has come, so that one that was interrupted goes on. */

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
async function beginMigration(store: Store): Promise<void> {
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
const STATUSES_OF_CLUSTERS = `${GO_MIGRATION}_statuses`;

/**
 * Runs a step of the migration in a transaction, during which the Go program cannot write.
 *
 * @throws terminal if it has written since the migration began
 */
async function migrationStep<T>(
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

async function storeProgress(
  tx: Tx,
  { statusesFrom, reconciliationsUntil }: Partial<GoProgress>,
): Promise<void> {
  await sql`update ${sql.table(GO_MIGRATION)} set "statusesFrom" = coalesce(${statusesFrom ?? null}::bigint, "statusesFrom"),
    "reconciliationsUntil" = coalesce(${reconciliationsUntil ?? null}::text, "reconciliationsUntil")`.execute(
    tx,
  );
}

/** From then on this program may start. */
async function endMigration(tx: Tx): Promise<void> {
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
