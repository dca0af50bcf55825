import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { tenantOf } from '../model/registrant.ts';
import type { CurrentVersions } from './append-status.ts';
import { COMPONENTS, KUBECONFIG } from './cluster-states.ts';

export interface UpsertInput {
  readonly document: ClusterDocument;
  readonly contract: number;
  readonly keyring: Keyring;
}

/**
 * Registers a cluster that is not known: its versions, its status and its current state, in one statement, since registrations
 * come in bursts. Returns its versions; undefined, with nothing changed, if it is known, or was registered at the
 * same moment.
 */
export async function addCluster(queries: Queries, input: UpsertInput): Promise<CurrentVersions | undefined> {
  const id = input.document.runtimeID;
  const cluster = clusterValues(input);
  const config = configValues(input);
  const labels = labelsOf(input.document);
  // The row of `runtimes` comes first: its key decides between registrations of one moment.
  const { rows } = await sql<CurrentVersions>`
    with ids as (
      select nextval(pg_get_serial_sequence('clusters', 'version')) as cluster_version,
        nextval(pg_get_serial_sequence('cluster_configs', 'version')) as config_version,
        nextval(pg_get_serial_sequence('cluster_statuses', 'id')) as status_id, clock_timestamp() as since
      where not exists (select 1 from runtimes where runtime_id = ${id})
    ), runtime as (
      insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, pending_cause,
        kyma_version, runtime_name, global_account_id, tenant, plan_name, components)
      select ${id}, cluster_version, config_version, status_id, 'reconcile_pending', since, 'registration',
        ${labels.kyma_version}, ${labels.runtime_name}, ${labels.global_account_id}, ${labels.tenant},
        ${labels.plan_name}, ${labels.components}::jsonb
      from ids
      on conflict (runtime_id) do nothing
      returning *
    ), cluster as (
      insert into clusters (version, runtime_id, runtime, metadata, kubeconfig, kubeconfig_key, contract)
      select cluster_version, ${id}, ${cluster.runtime}::jsonb, ${cluster.metadata}::jsonb, ${cluster.kubeconfig}::text,
        ${cluster.kubeconfig_key}::text, ${cluster.contract}::int
      from runtime
    ), config as (
      insert into cluster_configs (version, runtime_id, cluster_version, kyma_version, kyma_profile, components,
        components_key, administrators, contract)
      select config_version, ${id}, cluster_version, ${config.kyma_version}, ${config.kyma_profile}, ${config.components},
        ${config.components_key}, ${config.administrators}::jsonb, ${config.contract}::int
      from runtime
    ), status as (
      insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status, created)
      select status_id, ${id}, cluster_version, config_version, status, status_since from runtime
    )
    select runtime_id, cluster_version, config_version, status_id, status, pg_notify('mothership_clusters', ${id})
    from runtime
  `.execute(queries);
  return rows[0];
}

/** A row of `clusters`. */
export function clusterValues({ document, contract, keyring }: UpsertInput) {
  const sealed = document.kubeconfig ? keyring.encrypt(document.kubeconfig, KUBECONFIG) : undefined;
  return {
    runtime_id: document.runtimeID,
    runtime: JSON.stringify(document.runtimeInput),
    metadata: JSON.stringify(document.metadata),
    kubeconfig: sealed?.text ?? null,
    kubeconfig_key: sealed?.keyId ?? null,
    contract,
  };
}

/** A row of `cluster_configs`, but for the version of its cluster. */
export function configValues({ document, contract, keyring }: UpsertInput) {
  const { version, profile, components, administrators } = document.kymaConfig;
  const sealed = keyring.encrypt(JSON.stringify(components), COMPONENTS);
  return {
    runtime_id: document.runtimeID,
    kyma_version: version,
    kyma_profile: profile,
    components: sealed.text,
    components_key: sealed.keyId,
    administrators: JSON.stringify(administrators),
    contract,
  };
}

/** What `runtimes` shows of the document. */
export function labelsOf({ kymaConfig, runtimeInput, metadata, runtimeID }: ClusterDocument) {
  return {
    kyma_version: kymaConfig.version,
    runtime_name: runtimeInput.name,
    global_account_id: metadata.globalAccountID,
    tenant: tenantOf(runtimeInput.name, metadata, runtimeID),
    plan_name: metadata.servicePlanName,
    components: JSON.stringify(kymaConfig.components.map(({ component }) => component)),
  };
}
