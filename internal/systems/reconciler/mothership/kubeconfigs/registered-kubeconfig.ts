import type { Store } from '../database/store.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptKubeconfig } from '../inventory/cluster-states.ts';

/** The current registration of a cluster; undefined if it is not registered. */
export async function registeredKubeconfig(
  { store, keyring }: { readonly store: Pick<Store, 'queries'>; readonly keyring: Keyring },
  runtimeId: string,
): Promise<{ readonly runtimeName: string; readonly stored: string | undefined } | undefined> {
  const row = await store.queries
    .selectFrom('runtimes as r')
    .innerJoin('clusters as c', 'c.version', 'r.cluster_version')
    .select(['c.kubeconfig', 'c.kubeconfig_key', 'r.runtime_name'])
    .where('r.runtime_id', '=', runtimeId)
    .executeTakeFirst();
  return row && { runtimeName: row.runtime_name, stored: decryptKubeconfig(row, keyring) };
}
