import { sql } from 'kysely';
import { createBatcher } from '../database/create-batcher.ts';
import type { Queries, Store } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { tenantOf } from '../model/registrant.ts';
import { COMPONENTS, type CurrentVersions, KUBECONFIG } from './cluster-states.ts';

export interface UpsertInput {
  readonly document: ClusterDocument;
  readonly contract: number;
  readonly keyring: Keyring;
}

/** Registers a cluster that is not known; undefined, with nothing changed, if it is known. */
export type AddCluster = (input: UpsertInput) => Promise<CurrentVersions | undefined>;

/** Registrations come in bursts: those that come at the same time are added in one statement. */
export const createAddCluster = ({ queries }: Pick<Store, 'queries'>): AddCluster =>
  createBatcher({
    keyOf: ({ document }) => document.runtimeID,
    run: async (inputs) => {
      const added = new Map((await addClusters(queries, inputs)).map((each) => [each.runtime_id, each]));
      return inputs.map(({ document }) => added.get(document.runtimeID));
    },
  });

/**
 * Registers the clusters that are not known: their versions, statuses and current states. Returns those; nothing is changed for others,
 * which are known, or were registered at the same moment.
 */
async function addClusters(queries: Queries, inputs: readonly UpsertInput[]): Promise<CurrentVersions[]> {
  const given = inputs.map((input) => {
    const { components, ...labels } = labelsOf(input.document);
    const { components: sealed, ...config } = configValues(input);
    return { ...labels, names: components, ...config, sealed, ...clusterValues(input) };
  });
  // The row of `runtimes` comes first: its key decides between registrations of one moment. All have the same order, so that two
  // bursts wait for each other in one direction.
  const { rows } = await sql<CurrentVersions>`
    with ids as (
      select g.*, nextval(pg_get_serial_sequence('clusters', 'version')) as cluster_version,
        nextval(pg_get_serial_sequence('cluster_configs', 'version')) as config_version,
        nextval(pg_get_serial_sequence('cluster_statuses', 'id')) as status_id, clock_timestamp() as since
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g(runtime_id text, runtime text, metadata text,
        kubeconfig text, kubeconfig_key text, contract int, kyma_version text, kyma_profile text, sealed text,
        components_key text, administrators text, runtime_name text, global_account_id text, tenant text, plan_name text,
        names text)
      where not exists (select 1 from runtimes r where r.runtime_id = g.runtime_id)
    ), runtime as (
      insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, pending_cause,
        kyma_version, runtime_name, global_account_id, tenant, plan_name, components)
      select runtime_id, cluster_version, config_version, status_id, 'reconcile_pending', since, 'registration',
        kyma_version, runtime_name, global_account_id, tenant, plan_name, names::jsonb
      from ids order by runtime_id
      on conflict (runtime_id) do nothing
      returning runtime_id, status
    ), added as (
      select ids.*, runtime.status from ids join runtime using (runtime_id)
    ), cluster as (
      insert into clusters (version, runtime_id, runtime, metadata, kubeconfig, kubeconfig_key, contract)
      select cluster_version, runtime_id, runtime::jsonb, metadata::jsonb, kubeconfig, kubeconfig_key, contract from added
    ), config as (
      insert into cluster_configs (version, runtime_id, cluster_version, kyma_version, kyma_profile, components,
        components_key, administrators, contract)
      select config_version, runtime_id, cluster_version, kyma_version, kyma_profile, sealed, components_key,
        administrators::jsonb, contract
      from added
    ), status as (
      insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status, created)
      select status_id, runtime_id, cluster_version, config_version, status, since from added
    )
    select runtime_id, cluster_version, config_version, status_id, status, pg_notify('mothership_clusters', runtime_id)
    from added
  `.execute(queries);
  return rows;
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
