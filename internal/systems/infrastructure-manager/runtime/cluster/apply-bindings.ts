import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { isAlreadyExists } from '../../../../framework/kube/index.ts';
import type { ObjectOwnership } from '../ownership/object-ownership.ts';
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
export async function applyBindings(
  cluster: RuntimeClusterUse,
  ownership: ObjectOwnership,
  admins: readonly string[],
): Promise<number> {
  const labelSelector = `${labelBindings}=${BINDINGS_MANAGER}`;
  const bindings = await ownership.ownOf(await listAll(cluster, clusterRoleBindings, { labelSelector }));
  const use = { ...cluster, ownership };
  const missing = missingBindings(bindings, admins);
  const narrowed = narrowedBindings(bindings, admins);
  let removed = removedBindings(bindings, admins);
  for (const binding of missing) {
    const { subjects, metadata } = binding;
    const edited = removed.find((each) => each.metadata.name === metadata.name);
    removed = removed.filter((each) => each !== edited);
    if (edited === undefined) await bind(use, binding);
    else await update(use, { ...edited, ...(subjects === undefined ? {} : { subjects }) });
  }
  for (const binding of narrowed) await update(use, binding);
  await deleteOwn(cluster, clusterRoleBindings, removed);
  return missing.length + narrowed.length + removed.length;
}

interface OwnClusterUse extends RuntimeClusterUse {
  readonly ownership: ObjectOwnership;
}

/** Names after the first are for users whose name is taken by a binding of others. */
const NAMES = 4;

/** Creates the binding, or finds that it exists: an earlier request took effect although its response was lost, or the list is old. */
async function bind(cluster: OwnClusterUse, wanted: ClusterRoleBinding): Promise<void> {
  const { client, signal, assertMayWrite, ownership } = cluster;
  const { subjects = [], metadata } = wanted;
  for (let n = 0; n < NAMES; n++) {
    const name = n === 0 ? metadata.name : `${metadata.name}-${n}`;
    try {
      assertMayWrite();
      const recorded = { ...metadata, name, annotations: ownership.recordOf(name) };
      await client.create(clusterRoleBindings, { ...wanted, metadata: recorded }, { signal });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.get(clusterRoleBindings, { name }, { signal });
    // One without the label, or with the record of another, belongs to others, also if this program created it.
    if (!isOwnAdminBinding(found) || (await ownership.ownOf([found])).length === 0) continue;
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
  { client, signal, assertMayWrite, ownership }: OwnClusterUse,
  { metadata, ...binding }: ClusterRoleBinding,
): Promise<void> {
  const { managedFields: _, ...kept } = metadata;
  const annotations = { ...kept.annotations, ...ownership.recordOf(kept.name) };
  assertMayWrite();
  await client.update(clusterRoleBindings, { ...binding, metadata: { ...kept, annotations } }, { signal });
}
