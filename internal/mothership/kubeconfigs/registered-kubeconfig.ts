import type { Store } from '../database/store.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptKubeconfig } from '../inventory/cluster-states.ts';

/** The kubeconfig of the current registration of a cluster; undefined if it has none, or is not registered. */
export async function storedKubeconfig(
  { store, keyring }: { readonly store: Pick<Store, 'queries'>; readonly keyring: Keyring },
  runtimeId: string,
): Promise<string | undefined> {
  const row = await store.queries
    .selectFrom('runtimes as r')
    .innerJoin('clusters as c', 'c.version', 'r.cluster_version')
    .select(['c.kubeconfig', 'c.kubeconfig_key'])
    .where('r.runtime_id', '=', runtimeId)
    .executeTakeFirst();
  return row === undefined ? undefined : decryptKubeconfig(row, keyring);
}
