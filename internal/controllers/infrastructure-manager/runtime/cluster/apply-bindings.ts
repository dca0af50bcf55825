import { ProviderError } from '../../../../base/errors/errors.ts';
import { jsonEqual } from '../../../../base/json/json-equal.ts';
import { isAlreadyExists } from '../../../../kube/index.ts';
import {
  BINDINGS_MANAGER,
  isOwnAdminBinding,
  labelBindings,
  missingBindings,
  narrowedBindings,
  removedBindings,
} from './bindings.ts';
import { deleteOwn } from './delete-own.ts';
import { type ClusterRoleBinding, clusterRoleBindings } from './kinds.ts';
import { listAll } from './list-all.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/**
 * Makes the administrators those of the Runtime. Only bindings of this program are changed. Each administrator has a binding before
 * that of another one is removed.
 *
 * @returns how many were written or deleted
 */
export async function applyBindings(cluster: RuntimeClusterUse, admins: readonly string[]): Promise<number> {
  const bindings = await listAll(cluster, clusterRoleBindings, {
    labelSelector: `${labelBindings}=${BINDINGS_MANAGER}`,
  });
  const missing = missingBindings(bindings, admins);
  const narrowed = narrowedBindings(bindings, admins);
  let removed = removedBindings(bindings, admins);
  for (const binding of missing) {
    const { subjects, metadata } = binding;
    const edited = removed.find((each) => each.metadata.name === metadata.name);
    removed = removed.filter((each) => each !== edited);
    if (edited === undefined) await bind(cluster, binding);
    else await update(cluster, { ...edited, ...(subjects === undefined ? {} : { subjects }) });
  }
  for (const binding of narrowed) await update(cluster, binding);
  await deleteOwn(cluster, clusterRoleBindings, removed);
  return missing.length + narrowed.length + removed.length;
}

/** Names after the first are for users whose name is taken by a binding of others. */
const NAMES = 4;

/** Creates the binding, or finds that it exists: an earlier request took effect although its response was lost, or the list is old. */
async function bind(cluster: RuntimeClusterUse, wanted: ClusterRoleBinding): Promise<void> {
  const { client, signal, assertMayWrite } = cluster;
  const { subjects = [], metadata } = wanted;
  for (let n = 0; n < NAMES; n++) {
    const name = n === 0 ? metadata.name : `${metadata.name}-${n}`;
    try {
      assertMayWrite();
      await client.create(clusterRoleBindings, { ...wanted, metadata: { ...metadata, name } }, { signal });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.get(clusterRoleBindings, { name }, { signal });
    // One without the label belongs to others, also if this program created it.
    if (!isOwnAdminBinding(found)) continue;
    if (!jsonEqual(found.subjects, subjects)) await update(cluster, { ...found, subjects });
    return;
  }
  throw new ProviderError(
    'terminal',
    `cannot create ClusterRoleBinding ${metadata.name}: this name and the next ${NAMES - 1} are those of others`,
  );
}

/** Its uid and resourceVersion are those that were read. */
async function update(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  { metadata, ...binding }: ClusterRoleBinding,
): Promise<void> {
  const { managedFields: _, ...kept } = metadata;
  assertMayWrite();
  await client.update(clusterRoleBindings, { ...binding, metadata: kept }, { signal });
}
