import type { Store } from '../database/store.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { COMPONENTS, KUBECONFIG } from './cluster-states.ts';

/** Rows that one transaction encrypts. */
const BATCH = 100;

/**
 * Encrypts with the current key what older keys have encrypted. Rows are locked in batches, so that motherships may go on.
 * Returns how many rows it changed.
 */
export async function reencrypt(store: Store, keyring: Keyring): Promise<number> {
  let changed = 0;
  for (const batch of [reencryptKubeconfigs, reencryptComponents]) {
    let rows = BATCH;
    while (rows === BATCH) {
      rows = await batch(store, keyring);
      changed += rows;
    }
  }
  return changed;
}

/** The ids of the keys that rows are encrypted with. */
export async function usedKeyIds({ queries }: Pick<Store, 'queries'>): Promise<ReadonlySet<string>> {
  const [clusters, configs] = await Promise.all([
    queries.selectFrom('clusters').select('kubeconfig_key as id').distinct().execute(),
    queries.selectFrom('cluster_configs').select('components_key as id').distinct().execute(),
  ]);
  return new Set([...clusters, ...configs].flatMap(({ id }) => (id === null ? [] : [id])));
}

const reencryptKubeconfigs = (store: Store, keyring: Keyring): Promise<number> =>
  store.transaction(async (tx) => {
    const rows = await tx
      .selectFrom('clusters')
      .select(['version', 'kubeconfig', 'kubeconfig_key'])
      .where('kubeconfig_key', 'is not', null)
      .where('kubeconfig_key', '<>', keyring.currentId)
      .limit(BATCH)
      .forUpdate()
      .execute();
    for (const { version, kubeconfig, kubeconfig_key: keyId } of rows) {
      if (kubeconfig === null || keyId === null) continue;
      const sealed = keyring.encrypt(keyring.decrypt({ text: kubeconfig, keyId }, KUBECONFIG), KUBECONFIG);
      await tx
        .updateTable('clusters')
        .set({ kubeconfig: sealed.text, kubeconfig_key: sealed.keyId })
        .where('version', '=', version)
        .execute();
    }
    return rows.length;
  });

const reencryptComponents = (store: Store, keyring: Keyring): Promise<number> =>
  store.transaction(async (tx) => {
    const rows = await tx
      .selectFrom('cluster_configs')
      .select(['version', 'components', 'components_key'])
      .where('components_key', '<>', keyring.currentId)
      .limit(BATCH)
      .forUpdate()
      .execute();
    for (const { version, components, components_key: keyId } of rows) {
      const sealed = keyring.encrypt(keyring.decrypt({ text: components, keyId }, COMPONENTS), COMPONENTS);
      await tx
        .updateTable('cluster_configs')
        .set({ components: sealed.text, components_key: sealed.keyId })
        .where('version', '=', version)
        .execute();
    }
    return rows.length;
  });
