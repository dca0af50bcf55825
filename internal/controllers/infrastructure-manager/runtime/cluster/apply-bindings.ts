import { isAlreadyExists } from '../../../../kube/index.ts';
import { BINDINGS_MANAGER, labelBindings, missingBindings, removedBindings } from './bindings.ts';
import { deleteOwn } from './delete-own.ts';
import { clusterRoleBindings } from './kinds.ts';
import { listAll } from './list-all.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/**
 * Makes the administrators those of the Runtime. Only bindings of this program are changed.
 *
 * @returns how many were created or deleted
 */
export async function applyBindings(cluster: RuntimeClusterUse, admins: readonly string[]): Promise<number> {
  const { client, signal, assertMayWrite } = cluster;
  const bindings = await listAll(cluster, clusterRoleBindings, {
    labelSelector: `${labelBindings}=${BINDINGS_MANAGER}`,
  });
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
