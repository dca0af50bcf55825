/** Clusters and configurations of the Go program, whose texts are encrypted anew. */
import { sql, type Transaction } from 'kysely';
import type { Store } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { COMPONENTS, KUBECONFIG } from '../inventory/cluster-states.ts';
import type { createGoCipher } from './go-cipher.ts';
import { migrationStep } from './go-progress.ts';
import { utc } from './go-tables.ts';

/** Rows of one transaction. */
const BATCH = 200;

interface Ciphers {
  readonly decrypt: ReturnType<typeof createGoCipher>;
  readonly keyring: Keyring;
}

/** The versions are those of the Go program, so that the greatest one shows how far it has come. */
export async function copyClusters(store: Store, { decrypt, keyring }: Ciphers): Promise<void> {
  await inBatches(store, async (tx) => {
    const { rows } = await sql<{ version: number; kubeconfig: string }>`
      select version, kubeconfig from public.inventory_clusters
      where version > (select coalesce(max(version), 0) from clusters) order by version limit ${BATCH}
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

export async function copyConfigurations(store: Store, { decrypt, keyring }: Ciphers): Promise<void> {
  await inBatches(store, async (tx) => {
    const { rows } = await sql<{ version: number; components: string | null }>`
      select version, components from public.inventory_cluster_configs
      where version > (select coalesce(max(version), 0) from cluster_configs) order by version limit ${BATCH}
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
  while ((await migrationStep(store, copy)) === BATCH);
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
