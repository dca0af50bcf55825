import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { RuntimesTable, Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type {
  ClusterState,
  ClusterStatus,
  Component,
  Metadata,
  RuntimeInput,
  VersionedStatus,
} from '../model/cluster.ts';

/** What encrypts the columns, as part of the authenticated data. */
export const KUBECONFIG = 'kubeconfig';
export const COMPONENTS = 'components';

/** Configurations with their cluster and their newest status. */
export function selectStates(queries: Queries) {
  return queries
    .selectFrom('cluster_configs as k')
    .innerJoin('clusters as c', 'c.version', 'k.cluster_version')
    .innerJoinLateral(
      (query) =>
        query
          .selectFrom('cluster_statuses as s')
          .selectAll('s')
          .whereRef('s.config_version', '=', 'k.version')
          .orderBy('s.id', 'desc')
          .limit(1)
          .as('s'),
      (join) => join.onTrue(),
    )
    .select([
      'c.version as cluster_version',
      'c.runtime_id',
      'c.runtime',
      'c.metadata',
      'c.contract as cluster_contract',
      'c.deleted as cluster_deleted',
      'c.created as cluster_created',
      'k.version as config_version',
      'k.kyma_version',
      'k.kyma_profile',
      'k.components',
      'k.components_key',
      'k.administrators',
      'k.contract as config_contract',
      'k.deleted as config_deleted',
      'k.created as config_created',
      's.id as status_id',
      's.status',
      's.deleted as status_deleted',
      's.created as status_created',
    ]);
}

/** The versions of the current status; with `configVersion` those of the newest status of that configuration. */
export function selectVersions(queries: Queries, runtimeId: string, configVersion: number | undefined) {
  const columns = ['runtime_id', 'cluster_version', 'config_version', 'status'] as const;
  if (configVersion === undefined) {
    return queries
      .selectFrom('runtimes')
      .select([...columns, 'status_id'])
      .where('runtime_id', '=', runtimeId);
  }
  return queries
    .selectFrom('cluster_statuses')
    .select([...columns, 'id as status_id'])
    .where('config_version', '=', configVersion)
    .where('runtime_id', '=', runtimeId)
    .where('deleted', '=', false)
    .orderBy('id', 'desc')
    .limit(1);
}

type StateRow = Awaited<ReturnType<ReturnType<typeof selectStates>['execute']>>[number];

export function stateOf(row: StateRow, keyring: Keyring): ClusterState {
  const { runtime_id: runtimeId, cluster_version: clusterVersion, config_version: configVersion } = row;
  return {
    cluster: {
      version: clusterVersion,
      runtimeId,
      runtime: row.runtime as unknown as RuntimeInput,
      metadata: row.metadata as unknown as Metadata,
      contract: row.cluster_contract,
      deleted: row.cluster_deleted,
      created: row.cluster_created,
    },
    configuration: {
      version: configVersion,
      runtimeId,
      clusterVersion,
      kymaVersion: row.kyma_version,
      kymaProfile: row.kyma_profile ?? '',
      components: decryptComponents(row, keyring),
      administrators: row.administrators,
      contract: row.config_contract,
      deleted: row.config_deleted,
      created: row.config_created,
    },
    status: {
      id: row.status_id,
      runtimeId,
      clusterVersion,
      configVersion,
      status: row.status as ClusterStatus,
      deleted: row.status_deleted,
      created: row.status_created,
    },
  };
}

export function decryptComponents(
  { components, components_key }: { readonly components: string; readonly components_key: string },
  keyring: Keyring,
): Component[] {
  return JSON.parse(keyring.decrypt({ text: components, keyId: components_key }, COMPONENTS)) as Component[];
}

/** Undefined: the cluster was registered without one. */
export function decryptKubeconfig(
  {
    kubeconfig,
    kubeconfig_key,
  }: { readonly kubeconfig: string | null; readonly kubeconfig_key: string | null },
  keyring: Keyring,
): string | undefined {
  if (kubeconfig === null || kubeconfig_key === null) return undefined;
  return keyring.decrypt({ text: kubeconfig, keyId: kubeconfig_key }, KUBECONFIG);
}

/** What a row of `runtimes` has of the current status. */
export type CurrentVersions = Pick<
  Selectable<RuntimesTable>,
  'runtime_id' | 'cluster_version' | 'config_version' | 'status_id' | 'status'
>;

export const versionedStatusOf = (row: CurrentVersions): VersionedStatus => ({
  cluster: { version: row.cluster_version, runtimeId: row.runtime_id },
  configuration: { version: row.config_version },
  status: { id: row.status_id, status: row.status },
});

/**
 * Adds a status to the current configuration of a cluster, and makes it the current one. The caller holds the lock of the
 * row in `runtimes`, or accepts that another status comes between.
 */
export async function appendStatus(
  ...input: Parameters<typeof appendingStatus>
): Promise<{ readonly id: number; readonly created: Date }> {
  return appendingStatus(...input)
    .returning(['added.id as id', 'added.created as created'])
    .executeTakeFirstOrThrow();
}

/** The statement of `appendStatus`. */
export function appendingStatus(
  queries: Queries,
  { runtime_id, cluster_version, config_version }: Omit<CurrentVersions, 'status_id' | 'status'>,
  status: ClusterStatus,
  changes: UpdateObject<Schema, 'runtimes'> = {},
) {
  return queries
    .with('added', (query) =>
      query
        .insertInto('cluster_statuses')
        .values({ runtime_id, cluster_version, config_version, status })
        .returning(['id', 'created']),
    )
    .updateTable('runtimes')
    .from('added')
    .set((of) => ({
      status_id: of.ref('added.id'),
      status,
      status_since: of.ref('added.created'),
      error_count: errorCountAfter(status),
      next_run_at: null,
      held: false,
      ...changes,
    }))
    .where('runtimes.runtime_id', '=', runtime_id);
}

/** Errors since the last success; other statuses in between do not count. */
function errorCountAfter(status: ClusterStatus) {
  if (status === 'ready' || status === 'deleted') return sql<number>`0`;
  const isError = status.includes('error');
  return isError ? sql<number>`runtimes.error_count + 1` : sql<number>`runtimes.error_count`;
}
