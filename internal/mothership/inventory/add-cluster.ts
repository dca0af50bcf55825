import { sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { COMPONENTS, KUBECONFIG } from './cluster-states.ts';

export interface UpsertInput {
  readonly document: ClusterDocument;
  readonly contract: number;
  readonly keyring: Keyring;
}

/**
 * Registers a cluster that is not known: its versions, its status and its current state, in one statement. Returns its
 * configuration version.
 */
export async function addCluster(tx: Transaction<Schema>, input: UpsertInput): Promise<number> {
  const id = input.document.runtimeID;
  const cluster = clusterValues(input);
  const config = configValues(input);
  const labels = labelsOf(input.document);
  const { rows } = await sql<{ version: number }>`
    with cluster as (
      insert into clusters (runtime_id, runtime, metadata, kubeconfig, kubeconfig_key, contract)
      values (${id}, ${cluster.runtime}::jsonb, ${cluster.metadata}::jsonb, ${cluster.kubeconfig}, ${cluster.kubeconfig_key},
        ${cluster.contract})
      returning version
    ), config as (
      insert into cluster_configs (runtime_id, cluster_version, kyma_version, kyma_profile, components, components_key,
        administrators, contract)
      select ${id}, version, ${config.kyma_version}, ${config.kyma_profile}, ${config.components}, ${config.components_key},
        ${config.administrators}::jsonb, ${config.contract}::int
      from cluster
      returning cluster_version, version
    ), status as (
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status)
      select ${id}, cluster_version, version, 'reconcile_pending' from config
      returning id, status, created
    ), runtime as (
      insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, pending_cause,
        kyma_version, runtime_name, global_account_id, plan_name, components)
      select ${id}, config.cluster_version, config.version, status.id, status.status, status.created, 'registration',
        ${labels.kyma_version}, ${labels.runtime_name}, ${labels.global_account_id}, ${labels.plan_name},
        ${labels.components}::jsonb
      from config, status
    )
    select version, pg_notify('mothership_clusters', ${id}) from config
  `.execute(tx);
  const [added] = rows;
  if (added === undefined) throw new TypeError('an insertion returns its row');
  return added.version;
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
export function labelsOf({ kymaConfig, runtimeInput, metadata }: ClusterDocument) {
  return {
    kyma_version: kymaConfig.version,
    runtime_name: runtimeInput.name,
    global_account_id: metadata.globalAccountID,
    plan_name: metadata.servicePlanName,
    components: JSON.stringify(kymaConfig.components.map(({ component }) => component)),
  };
}
