import { sql, type Transaction } from 'kysely';
import { ProviderError } from '../../base/errors/errors.ts';
import type { Database } from '../database/database.ts';
import { OPERATION_STATES } from '../database/schema/scheduler-tables.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { COMPONENTS, KUBECONFIG } from '../inventory/cluster-states.ts';
import { CLUSTER_STATUSES } from '../model/cluster-status.ts';
import { advance } from '../reconciliations/advance.ts';
import type { ChangeContext } from '../reconciliations/context.ts';
import { lockReconciliations } from '../reconciliations/lock-reconciliations.ts';
import { addCurrentStates } from './current-states.ts';
import { createGoCipher } from './go-cipher.ts';
import { lockGoTables, utc } from './go-tables.ts';

export interface GoMigrationOptions extends ChangeContext {
  readonly database: Database;
  /** Keys of the Go program. */
  readonly goKeys: readonly string[];
  readonly keyring: Keyring;
}

/** Rows that were migrated, by table. */
export interface GoMigrationResult {
  readonly clusters: number;
  readonly configurations: number;
  readonly statuses: number;
  readonly reconciliations: number;
  readonly operations: number;
}

/** Rows with ciphers that one statement reads. */
const BATCH = 200;

type Tx = Transaction<Schema>;

/**
 * Copies inventory, reconciliations and operations of the Go program from the schema `public` of the same database, with
 * their versions and ids. Its tables stay as they are, those of the configuration store too. All or nothing: one
 * transaction, during which the Go program cannot write.
 *
 * Operations that were in progress are sent again when their component reconcilers gave no sign of life until the orphan
 * timeout: their callbacks have no token, and are refused.
 *
 * @throws terminal if the database is not one of the Go program's last version, or if this one has clusters already
 */
export async function migrateGoDatabase(options: GoMigrationOptions): Promise<GoMigrationResult> {
  return options.database.transaction(async (tx) => {
    await checkVersions(tx);
    const decrypt = createGoCipher(options.goKeys);
    const clusters = await copyClusters(tx, decrypt, options.keyring);
    const { count: configurations, componentNames } = await copyConfigurations(tx, decrypt, options.keyring);
    const statuses = await copyStatuses(tx);
    const reconciliations = await copyReconciliations(tx);
    const operations = await copyOperations(tx, options.settings.orphanTimeoutMs);
    await continueSequences(tx);
    await addCurrentStates(tx, componentNames);
    await releaseOperations(tx, options);
    return { clusters, configurations, statuses, reconciliations, operations };
  });
}

async function checkVersions(tx: Tx): Promise<void> {
  await lockGoTables(tx);
  const known = await tx.selectFrom('clusters').select('version').limit(1).executeTakeFirst();
  if (known !== undefined) {
    throw new ProviderError(
      'terminal',
      'cannot migrate the database: it has clusters of this program already',
    );
  }
}

async function copyClusters(
  tx: Tx,
  decrypt: ReturnType<typeof createGoCipher>,
  keyring: Keyring,
): Promise<number> {
  let count = 0;
  for (let last = 0; ; ) {
    const { rows } = await sql<{ version: number; kubeconfig: string }>`
      select version, kubeconfig from public.inventory_clusters where version > ${last} order by version limit ${BATCH}
    `.execute(tx);
    for (const { version, kubeconfig } of rows) {
      const plain = decrypt(kubeconfig, `the kubeconfig of cluster version ${version}`);
      const sealed = plain === '' ? undefined : keyring.encrypt(plain, KUBECONFIG);
      await sql`
        insert into clusters (version, runtime_id, runtime, metadata, kubeconfig, kubeconfig_key, contract, deleted, created)
        select version, runtime_id, runtime::jsonb, metadata::jsonb, ${sealed?.text ?? null}, ${sealed?.keyId ?? null},
          contract, coalesce(deleted, false), ${utc('created')}
        from public.inventory_clusters where version = ${version}
      `.execute(tx);
      last = version;
    }
    count += rows.length;
    if (rows.length < BATCH) return count;
  }
}

async function copyConfigurations(tx: Tx, decrypt: ReturnType<typeof createGoCipher>, keyring: Keyring) {
  const componentNames = new Map<number, string[]>();
  for (let last = 0; ; ) {
    const { rows } = await sql<{ version: number; components: string | null }>`
      select version, components from public.inventory_cluster_configs
      where version > ${last} order by version limit ${BATCH}
    `.execute(tx);
    for (const { version, components } of rows) {
      const plain = components ? decrypt(components, `the components of configuration ${version}`) : '[]';
      const list = ((JSON.parse(plain) ?? []) as GoComponent[]).map(componentOf);
      componentNames.set(
        version,
        list.map(({ component }) => component),
      );
      const sealed = keyring.encrypt(JSON.stringify(list), COMPONENTS);
      await sql`
        insert into cluster_configs (version, runtime_id, cluster_version, kyma_version, kyma_profile, components,
          components_key, administrators, contract, deleted, created)
        select version, runtime_id, cluster_version, kyma_version, kyma_profile, ${sealed.text}, ${sealed.keyId},
          coalesce(nullif(nullif(administrators, ''), 'null'), '[]')::jsonb, contract, coalesce(deleted, false), ${utc('created')}
        from public.inventory_cluster_configs where version = ${version}
      `.execute(tx);
      last = version;
    }
    if (rows.length < BATCH) return { count: componentNames.size, componentNames };
  }
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

/** The Go program stores any text that a client sends as status; those without a meaning count as an error. */
async function copyStatuses(tx: Tx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status, deleted, created)
    select id, runtime_id, cluster_version, config_version,
      case when status = any(${CLUSTER_STATUSES}::text[]) then status else 'error' end,
      coalesce(deleted, false), ${utc('created')}
    from public.inventory_cluster_config_statuses
  `.execute(tx);
  return Number(numAffectedRows);
}

/** Reconciliations without a status have no cluster any more, and are left out. */
async function copyReconciliations(tx: Tx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
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
  `.execute(tx);
  return Number(numAffectedRows);
}

const isAtComponent = sql`o.state in ('in_progress', 'failed', 'client_error')`;

/** The database sets `picked_up` of operations that were not sent, too. An operation of a run that has ended is not open. */
async function copyOperations(tx: Tx, orphanTimeoutMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
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
  `.execute(tx);
  return Number(numAffectedRows);
}

/** New versions come after those that were copied. */
async function continueSequences(tx: Tx): Promise<void> {
  for (const [table, column] of [
    ['clusters', 'version'],
    ['cluster_configs', 'version'],
    ['cluster_statuses', 'id'],
  ] as const) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${sql.ref(column)}), 0) + 1, false)
      from ${sql.table(table)}
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
    if (locked !== undefined) await advance(tx, locked, context);
  }
}
