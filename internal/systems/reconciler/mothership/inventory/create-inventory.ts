import { sql, type Transaction } from 'kysely';
import { isStorable, notify, type Queries, type Store, storable } from '../database/database.ts';
import type { PendingCause, Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Component } from '../model/cluster.ts';
import { type ClusterStatus, FAILED, NOT_READY, PENDING } from '../model/cluster-status.ts';
import type {
  ClusterBounds,
  ConfigurationChange,
  ConfigurationVersion,
  Inventory,
  RuntimeSummary,
} from '../model/inventory.ts';
import { RefusedError } from '../model/refused-error.ts';
import { createAddCluster } from './add-cluster.ts';
import {
  appendStatus,
  decryptComponents,
  selectStates,
  selectVersions,
  stateOf,
  versionedStatusOf,
} from './cluster-states.ts';
import { listClusters } from './list-clusters.ts';
import { upsertCluster } from './upsert-cluster.ts';

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
