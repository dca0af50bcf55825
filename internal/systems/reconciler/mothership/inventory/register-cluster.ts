import { type Selectable, sql, type Transaction } from 'kysely';
import { jsonEqual } from '../../../../framework/base/index.ts';
import {
  isPermitted,
  type OwnershipRule,
  ownershipOf,
  ownershipText,
} from '../../../../framework/ownership/ownership.ts';
import { createBatcher } from '../database/create-batcher.ts';
import { isStorable, notify, type Queries, type Store } from '../database/database.ts';
import type { ClustersTable, PendingCause, RuntimesTable, Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { RefusedError } from '../model/refused-error.ts';
import { isTenant, registrantOf, tenantOf } from '../model/registrant.ts';
import {
  appendStatus,
  COMPONENTS,
  type CurrentVersions,
  decryptComponents,
  decryptKubeconfig,
  KUBECONFIG,
} from './cluster-states.ts';

type Runtime = Selectable<RuntimesTable>;

/** Stores the versions that differ from the current ones, and makes the cluster pending. */
export async function upsertCluster(
  store: Store,
  add: AddCluster,
  input: UpsertInput,
): Promise<CurrentVersions> {
  refuseUnstorable(input.document);
  refuseOperatorComponents(input.document);
  for (;;) {
    const current = (await add(input)) ?? (await store.transaction((tx) => updateCluster(tx, input)));
    if (current !== undefined) return current;
  }
}

/** Undefined, with nothing changed, if the cluster is not known any more. */
async function updateCluster(
  tx: Transaction<Schema>,
  input: UpsertInput,
): Promise<CurrentVersions | undefined> {
  const { document } = input;
  const current = await tx
    .selectFrom('runtimes')
    .selectAll()
    .where('runtime_id', '=', document.runtimeID)
    .forUpdate()
    .executeTakeFirst();
  if (current === undefined) return undefined;
  await refuseForeign(document, current);
  const clusterVersion = await clusterVersionFor(tx, input, current.cluster_version);
  const known = current.cluster_version === clusterVersion ? current.config_version : undefined;
  const configVersion = await configVersionFor(tx, input, clusterVersion, known);
  const updated = await updateRuntime(tx, document, current, clusterVersion, configVersion);
  await notify(tx, 'mothership_clusters', document.runtimeID);
  return updated;
}

/** These act on the control plane, with the rights of the component reconciler and values of the registration. */
const OPERATOR_COMPONENTS: ReadonlySet<string> = new Set(['rma']);

/** A chart of a tenant would get the rights of the component reconciler on the control plane. */
function refuseOperatorComponents({ runtimeInput, runtimeID, kymaConfig }: ClusterDocument): void {
  if (!isTenant(registrantOf(runtimeInput))) return;
  // Component reconcilers are found by names in any case.
  const found = kymaConfig.components.find(({ component }) =>
    OPERATOR_COMPONENTS.has(component.toLowerCase()),
  );
  if (found === undefined) return;
  throw new RefusedError(
    'foreign',
    `cannot register cluster ${runtimeID}: component ${found.component} acts on the control plane: let an operator register the cluster`,
  );
}

/** Every registration has a record of its owner, so that nothing is adopted. */
const RULE: OwnershipRule = { unrecorded: [], abandoned: [] };

/** Tenants change their own registrations alone; operators change any, and own it then. */
async function refuseForeign(
  { runtimeID, runtimeInput }: ClusterDocument,
  { runtime_name }: Runtime,
): Promise<void> {
  const own = registrantOf(runtimeInput);
  if (!isTenant(own)) return;
  const ownership = await ownershipOf({ own, recorded: registrantOf({ name: runtime_name }) });
  if (isPermitted(ownership, 'update', RULE)) return;
  const named = { resource: `cluster ${runtimeID}`, own, remedy: 'choose another runtimeID' };
  throw new RefusedError('foreign', ownershipText(ownership, 'update', named));
}

async function clusterVersionFor(
  tx: Transaction<Schema>,
  input: UpsertInput,
  current: number,
): Promise<number> {
  const { document, contract, keyring } = input;
  const row = await tx.selectFrom('clusters').selectAll().where('version', '=', current).executeTakeFirst();
  const isSame =
    row !== undefined &&
    sameCluster(row, document, contract) &&
    decryptKubeconfig(row, keyring) === (document.kubeconfig || undefined);
  if (isSame) return current;
  const { version } = await tx
    .insertInto('clusters')
    .values(clusterValues(input))
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

function sameCluster(row: Selectable<ClustersTable>, document: ClusterDocument, contract: number): boolean {
  return (
    row.contract === contract &&
    jsonEqual(row.runtime, document.runtimeInput) &&
    jsonEqual(row.metadata, document.metadata)
  );
}

async function configVersionFor(
  tx: Transaction<Schema>,
  input: UpsertInput,
  clusterVersion: number,
  current: number | undefined,
): Promise<number> {
  const { document, contract, keyring } = input;
  const { version, profile, components, administrators } = document.kymaConfig;
  if (current !== undefined) {
    const row = await tx
      .selectFrom('cluster_configs')
      .selectAll()
      .where('version', '=', current)
      .executeTakeFirst();
    const isSame =
      row !== undefined &&
      row.contract === contract &&
      row.kyma_version === version &&
      (row.kyma_profile ?? '') === profile &&
      jsonEqual(row.administrators, administrators) &&
      jsonEqual(decryptComponents(row, keyring), components);
    if (isSame) return current;
  }
  const added = await tx
    .insertInto('cluster_configs')
    .values({ ...configValues(input), cluster_version: clusterVersion })
    .returning('version')
    .executeTakeFirstOrThrow();
  return added.version;
}

async function updateRuntime(
  tx: Transaction<Schema>,
  document: ClusterDocument,
  current: Runtime,
  cluster_version: number,
  config_version: number,
): Promise<CurrentVersions> {
  const { runtime_id } = current;
  const isNew = config_version !== current.config_version;
  if (!isNew && current.status === 'reconcile_pending') return current;
  const versions = { runtime_id, cluster_version, config_version };
  const pending = await appendStatus(tx, versions, 'reconcile_pending', {
    cluster_version,
    config_version,
    ...labelsOf(document),
    pending_cause: causeOf(current),
    // Results and errors are those of a configuration.
    ...(isNew && { error_count: 0, last_result_at: null, last_failed: false, failed_components: '[]' }),
  });
  if (current.status !== 'reconcile_disabled') {
    return { ...versions, status_id: pending.id, status: 'reconcile_pending' };
  }
  const disabled = await appendStatus(tx, versions, 'reconcile_disabled', { pending_cause: null });
  return { ...versions, status_id: disabled.id, status: 'reconcile_disabled' };
}

/** A change of a cluster that had no result yet is still a part of its registration. */
function causeOf({ pending_cause, last_result_at, last_failed }: Runtime): PendingCause {
  if (pending_cause === 'registration' || pending_cause === 'upgrade') return pending_cause;
  return last_result_at === null || last_failed ? 'registration' : 'upgrade';
}

function refuseUnstorable({ runtimeID, kymaConfig, runtimeInput, metadata }: ClusterDocument): void {
  const missing = [
    ...(runtimeID === '' ? ['runtimeID'] : []),
    ...(kymaConfig.version === '' ? ['kymaConfig.version'] : []),
  ];
  if (missing.length > 0) {
    throw new RefusedError('invalid', `cannot store the cluster: ${missing.join(' and ')} must not be empty`);
  }
  const texts = {
    runtimeID: [runtimeID],
    runtimeInput: Object.values(runtimeInput),
    metadata: Object.values(metadata),
    kymaConfig: [
      kymaConfig.version,
      kymaConfig.profile,
      ...kymaConfig.administrators,
      ...kymaConfig.components.map(({ component }) => component),
    ],
  };
  for (const [field, values] of Object.entries(texts)) {
    if (values.every(isStorable)) continue;
    throw new RefusedError(
      'invalid',
      `cannot store the cluster: a text of ${field} has a character that is not valid`,
    );
  }
}

interface UpsertInput {
  readonly document: ClusterDocument;
  readonly contract: number;
  readonly keyring: Keyring;
}

/** Registers a cluster that is not known; undefined, with nothing changed, if it is known. */
type AddCluster = (input: UpsertInput) => Promise<CurrentVersions | undefined>;

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
function clusterValues({ document, contract, keyring }: UpsertInput) {
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
function configValues({ document, contract, keyring }: UpsertInput) {
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
function labelsOf({ kymaConfig, runtimeInput, metadata, runtimeID }: ClusterDocument) {
  return {
    kyma_version: kymaConfig.version,
    runtime_name: runtimeInput.name,
    global_account_id: metadata.globalAccountID,
    tenant: tenantOf(runtimeInput.name, metadata, runtimeID),
    plan_name: metadata.servicePlanName,
    components: JSON.stringify(kymaConfig.components.map(({ component }) => component)),
  };
}
