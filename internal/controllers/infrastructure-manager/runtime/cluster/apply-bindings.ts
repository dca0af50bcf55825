import { isAlreadyExists } from '../../../../kube/index.ts';
import { BINDINGS_MANAGER, labelBindings, missingBindings, removedBindings } from './bindings.ts';
import { deleteOwn } from './delete-own.ts';
import { type ClusterRoleBinding, clusterRoleBindings } from './kinds.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/** A cluster answers with 1 MiB at most; more bindings than this are not ours. */
const MAX_PAGES = 20;

/**
 * Makes the administrators those of the Runtime. Only bindings of this program are changed.
 *
 * @returns how many were created or deleted
 */
export async function applyBindings(cluster: RuntimeClusterUse, admins: readonly string[]): Promise<number> {
  const { client, signal, assertMayWrite } = cluster;
  const bindings = await listOwn(cluster);
  const missing = missingBindings(bindings, admins);
  for (const binding of missing) {
    try {
      assertMayWrite();
      await client.create(clusterRoleBindings, binding, { signal });
    } catch (error) {
      // An earlier request took effect although its response was lost, or the list is old.
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const removed = removedBindings(bindings, admins);
  await deleteOwn(cluster, clusterRoleBindings, removed);
  return missing.length + removed.length;
}

async function listOwn({ client, signal }: RuntimeClusterUse): Promise<ClusterRoleBinding[]> {
  const labelSelector = `${labelBindings}=${BINDINGS_MANAGER}`;
  const found: ClusterRoleBinding[] = [];
  let more: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await client.list(clusterRoleBindings, {
      signal,
      labelSelector,
      ...(more === undefined ? {} : { continue: more }),
    });
    found.push(...list.items);
    more = list.continue;
    if (more === undefined) break;
  }
  return found;
}
