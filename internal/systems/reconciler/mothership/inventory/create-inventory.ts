import { sql, type Transaction } from 'kysely';
import { isStorable, notify, type Queries, type Store, storable } from '../database/database.ts';
import type { PendingCause, Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { type ClusterStatus, type Component, FAILED, NOT_READY, PENDING } from '../model/cluster.ts';
import type {
  ClusterBounds,
  ClusterGroup,
  ClusterPage,
  ClusterSelection,
  ConfigurationChange,
  ConfigurationVersion,
  Inventory,
  ListedCluster,
  RuntimeSummary,
} from '../model/inventory.ts';
import { RefusedError } from '../model/refused-error.ts';
import {
  appendStatus,
  decryptComponents,
  selectStates,
  selectVersions,
  stateOf,
  versionedStatusOf,
} from './cluster-states.ts';
import { createAddCluster, upsertCluster } from './register-cluster.ts';

interface InventoryOptions {
  readonly store: Store;
  readonly keyring: Keyring;
}

export function createInventory({ store, keyring }: InventoryOptions): Inventory {
  const addCluster = createAddCluster(store);
  const setStatus = (runtimeId: string, status: ClusterStatus, cause: PendingCause | null) => {
    refuseUnknown(runtimeId);
    return store.transaction(async (tx) => {
      const current = await tx
        .selectFrom('runtimes')
        .selectAll()
        .where('runtime_id', '=', runtimeId)
        .forUpdate()
        .executeTakeFirst();
      if (current === undefined) throw clusterNotFound(runtimeId);
      if (current.status === status) return versionedStatusOf(current);
      const { id } = await appendStatus(tx, current, status, { pending_cause: cause });
      await notify(tx, 'mothership_clusters', runtimeId);
      return versionedStatusOf({ ...current, status_id: id, status });
    });
  };

  return {
    upsert: async (document, contract) =>
      versionedStatusOf(await upsertCluster(store, addCluster, { document, contract, keyring })),
    setStatus: async (runtimeId, status) =>
      setStatus(runtimeId, status, status === 'reconcile_pending' ? 'operator' : null),
    markForDeletion: async (runtimeId) => setStatus(runtimeId, 'delete_pending', 'deletion'),
    status: async (runtimeId, configVersion) => {
      refuseUnknown(runtimeId);
      const row = await selectVersions(store.queries, runtimeId, configVersion).executeTakeFirst();
      if (row) return versionedStatusOf(row);
      throw clusterNotFound(runtimeId, configVersion);
    },
    latest: async (runtimeId) => {
      refuseUnknown(runtimeId);
      const row = await selectStates(store.queries)
        .innerJoin('runtimes as r', 'r.config_version', 'k.version')
        .where('r.runtime_id', '=', runtimeId)
        .executeTakeFirst();
      if (row) return stateOf(row, keyring);
      throw clusterNotFound(runtimeId);
    },
    at: async (runtimeId, configVersion) => {
      refuseUnknown(runtimeId);
      const row = await selectStates(store.queries)
        .where('k.version', '=', configVersion)
        .where('k.runtime_id', '=', runtimeId)
        .where('k.deleted', '=', false)
        .executeTakeFirst();
      if (row) return stateOf(row, keyring);
      throw clusterNotFound(runtimeId, configVersion);
    },
    of: async (run) => {
      const row = await selectStates(store.queries)
        .where('k.version', '=', configVersionOf(store.queries, run))
        .executeTakeFirst();
      if (row) return stateOf(row, keyring);
      throw notFound(run === undefined ? 'any operation' : `a cluster of ${Object.values(run)[0]}`);
    },
    statusChanges: async (runtimeId, sinceMs) => {
      refuseUnknown(runtimeId);
      const started = await store.queries
        .selectFrom('cluster_statuses')
        .select([
          'status',
          'created as started',
          sql<number>`(extract(epoch from
            coalesce(lag(created) over (order by id desc), clock_timestamp()) - created) * 1000)::float8`.as(
            'durationMs',
          ),
        ])
        .where('runtime_id', '=', runtimeId)
        .where('created', '>=', ago(sinceMs))
        .orderBy('id', 'desc')
        .limit(MAX_STATUS_CHANGES)
        .execute();
      if (started.length === 0) throw notFound(`a change of the status of cluster ${runtimeId}`);
      return started;
    },
    configurations: (runtimeId) => configVersions(store.queries, keyring, runtimeId),
    list: (selection) => listClusters(store.queries, selection),
    all: (bounds) => summaries(store.queries, bounds).execute(),
    totals: () =>
      store.queries
        .selectFrom('runtimes')
        .select(({ fn }) => [
          fn.countAll<number>().as('clusters'),
          fn.countAll<number>().filterWhere('status', 'in', FAILED).as('failed'),
        ])
        .executeTakeFirstOrThrow(),
    counts: () =>
      store.queries
        .selectFrom('runtimes')
        .select(({ fn }) => [
          fn.countAll<number>().filterWhere('status', 'in', PENDING).as('waiting'),
          fn.countAll<number>().filterWhere('status', 'in', NOT_READY).as('notReady'),
        ])
        .where('status', 'in', [...PENDING, ...NOT_READY])
        .executeTakeFirstOrThrow(),
  };
}

/** The configuration that a reconciliation or an operation works on, as a subquery. */
function configVersionOf(queries: Queries, run: Parameters<Inventory['of']>[0]) {
  if (run === undefined) {
    return queries.selectFrom('operations').select('config_version').orderBy('created', 'desc').limit(1);
  }
  if ('schedulingId' in run) {
    const id = storable(run.schedulingId);
    return queries.selectFrom('reconciliations').select('config_version').where('scheduling_id', '=', id);
  }
  const id = storable(run.correlationId);
  return queries.selectFrom('operations').select('config_version').where('correlation_id', '=', id).limit(1);
}

/** So many ms before now, by the clock of the database. Not `clock_timestamp()`, for which no index is used. */
const ago = (ms: number) => sql<Date>`now() - ${ms} * interval '1 ms'`;

const clusterNotFound = (runtimeId: string, configVersion?: number) =>
  notFound(`${configVersion === undefined ? '' : `configuration ${configVersion} of `}cluster ${runtimeId}`);

const notFound = (what: string) => new RefusedError('not-found', `cannot find ${what}`);

/** An id that cannot be stored is one of no cluster. */
function refuseUnknown(runtimeId: string): void {
  if (!isStorable(runtimeId)) throw notFound('the cluster');
}

/** Each run, and each change of a registration, adds some. */
const MAX_STATUS_CHANGES = 5000;
/** Versions of a list, and differences of a version. */
const MAX_VERSIONS = 20;
const MAX_CHANGES = 100;
/** In place of a value that is secret. Different values look different only by their mark. */
const MASKED = '••••••';

/** The configurations that a cluster had, the newest first, each with what differs from the one before. */
async function configVersions(
  queries: Queries,
  keyring: Keyring,
  runtimeId: string,
): Promise<ConfigurationVersion[]> {
  const rows = await queries
    .selectFrom('cluster_configs')
    .selectAll()
    .where('runtime_id', '=', storable(runtimeId))
    .orderBy('version', 'desc')
    .limit(MAX_VERSIONS + 1)
    .execute();
  const fields = rows.map((row) => ({
    version: row.version,
    created: row.created,
    values: new Map<string, Value>([
      ['version', row.kyma_version],
      ['profile', row.kyma_profile ?? ''],
      ['administrators', row.administrators.join(', ')],
      ...decryptComponents(row, keyring).flatMap(valuesOf),
    ]),
  }));
  return fields.slice(0, MAX_VERSIONS).map(({ version, created, values }, index) => {
    const before = fields[index + 1]?.values;
    return {
      version,
      created,
      changes: before === undefined ? [] : changesOf(before, values).slice(0, MAX_CHANGES),
    };
  });
}

const SECRET = Symbol('secret');
type Value = string | { readonly [SECRET]: string };

/** The fields of a component by their paths. */
function valuesOf({ component, namespace, version, URL: url, configuration }: Component): [string, Value][] {
  return [
    [component, 'present'],
    [`${component}.namespace`, namespace],
    [`${component}.version`, version],
    [`${component}.URL`, url],
    ...configuration.map(({ key, value, secret }): [string, Value] => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [`${component}: ${key}`, secret ? { [SECRET]: text } : text];
    }),
  ];
}

function changesOf(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): ConfigurationChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((field) => {
    const [one, other] = [before.get(field), after.get(field)];
    if (plain(one) === plain(other)) return [];
    return [{ field, before: shown(one), after: shown(other) }];
  });
}

const plain = (value: Value | undefined): string =>
  typeof value === 'object' ? value[SECRET] : (value ?? '');
const shown = (value: Value | undefined): string => (typeof value === 'object' ? MASKED : (value ?? ''));

/** The current states of the registered clusters. */
function summaries(queries: Queries, { perTenant, limit }: ClusterBounds) {
  return queries
    .selectFrom((of) =>
      of
        .selectFrom('runtimes')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('tenant').orderBy('created').orderBy('runtime_id'))
            .as('place'),
        )
        .as('ranked'),
    )
    .where('place', '<=', perTenant)
    .orderBy('place')
    .orderBy('runtime_id')
    .limit(limit)
    .select([
      'runtime_id as runtimeId',
      'runtime_name as runtimeName',
      'global_account_id as globalAccountId',
      'plan_name as planName',
      'kyma_version as kymaVersion',
      'config_version as configVersion',
      'status',
      'status_since as statusSince',
    ])
    .$castTo<RuntimeSummary>();
}

/**
 * Removes a cluster: its rows are marked as deleted under another runtime id, so that the same id can be registered again.
 * Its reconciliations keep the id. The caller holds the lock of the row in `runtimes`.
 */
export async function removeCluster(tx: Transaction<Schema>, runtimeId: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select 'deleted_' || extract(epoch from clock_timestamp())::bigint || '_' || ${runtimeId}::text as name
  `.execute(tx);
  const change = { runtime_id: rows[0]?.name ?? `deleted__${runtimeId}`, deleted: true };
  await tx.deleteFrom('runtimes').where('runtime_id', '=', runtimeId).execute();
  for (const table of ['cluster_statuses', 'cluster_configs', 'clusters'] as const) {
    await sql`
      update ${sql.table(table)} set runtime_id = ${change.runtime_id}, deleted = true where runtime_id = ${runtimeId}
    `.execute(tx);
  }
}

/** SQL: what an operator has to do about a cluster. The groups are disjoint. */
export const groupOf = sql<ClusterGroup>`case
  when r.held then 'held'
  when r.status = 'reconcile_disabled' then 'disabled'
  when r.last_failed or r.status in (${sql.join(FAILED.map((status) => sql.lit(status)))}) then 'failing'
  when r.status = 'ready' then 'ready'
  else 'working'
end`;

/** The order of groups by what needs attention. */
const ATTENTION: readonly ClusterGroup[] = ['failing', 'held', 'working', 'disabled', 'ready'];

const attention = sql`array_position(${sql.lit(`{${ATTENTION.join(',')}}`)}::text[], (${groupOf})::text)`;

/** For a text that a column contains: its wildcards are plain characters. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** A page of the registered clusters. */
async function listClusters(queries: Queries, selection: ClusterSelection): Promise<ClusterPage> {
  const { statuses, kymaVersions, prefix, after, limit, cluster, search, group, component, offset } =
    selection;
  const texts = [prefix, after, cluster, search, component, ...(kymaVersions ?? [])];
  if (!texts.every((text) => text === undefined || isStorable(text))) return { clusters: [], total: 0 };
  const conditions = [
    statuses && sql`r.status = any(${statuses}::text[])`,
    kymaVersions && sql`r.kyma_version = any(${kymaVersions}::text[])`,
    prefix !== undefined && sql`starts_with(r.runtime_id, ${prefix})`,
    cluster !== undefined && sql`(r.runtime_id = ${cluster} or r.runtime_name = ${cluster})`,
    component !== undefined && sql`r.components ? ${component}`,
    group !== undefined && sql`${groupOf} = ${group}`,
    search !== undefined &&
      sql`(r.runtime_id || ' ' || r.runtime_name || ' ' || r.global_account_id || ' ' || coalesce(c.metadata->>'shootName', ''))
        ilike ${containing(search)}`,
  ].filter((each) => each !== undefined && each !== false);
  const where = (...more: readonly (typeof conditions)[number][]) => {
    const all = [...conditions, ...more];
    return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
  };
  // Only a text is looked for in registrations too: else they are read for the clusters of the page alone.
  const from =
    search === undefined
      ? sql`from runtimes r`
      : sql`from runtimes r left join clusters c on c.version = r.cluster_version`;
  const order =
    offset === undefined
      ? sql`order by r.runtime_id limit ${limit}`
      : sql`order by ${attention}, r.error_count desc, r.runtime_name, r.runtime_id limit ${limit} offset ${offset}`;
  const listed = sql<Omit<ListedCluster, 'nextRun'> & { readonly nextRun: Date | null }>`
    select r.runtime_id as "runtimeId", r.runtime_name as "runtimeName", r.global_account_id as "globalAccountId",
      r.plan_name as "planName", r.kyma_version as "kymaVersion", r.config_version as "configVersion", r.status,
      r.status_since as "statusSince", r.error_count as errors, r.next_run_at as "nextRun", r.held,
      ${groupOf} as "group", r.failed_components as "failedComponents",
      coalesce((select k.metadata->>'shootName' from clusters k where k.version = r.cluster_version), '') as "shootName"
    ${from} ${where(...(after === undefined ? [] : [sql`r.runtime_id > ${after}`]))} ${order}
  `.execute(queries);
  const counted =
    offset === undefined
      ? undefined
      : sql<{ total: number }>`select count(*)::int as total ${from} ${where()}`.execute(queries);
  const [{ rows }, totals] = await Promise.all([listed, counted]);
  const clusters = rows.map((row) => ({ ...row, nextRun: row.nextRun ?? undefined }));
  return totals === undefined ? { clusters } : { clusters, total: totals.rows[0]?.total ?? 0 };
}
