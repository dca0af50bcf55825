import { type Deps, inParallel } from '../../../../../framework/base/index.ts';
import {
  customResourceDefinitions,
  type KubeObject,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';

import type { DeployTarget } from '../../model/component.ts';
import { type InventoryEntry, objectOfEntry } from '../inventory.ts';
import { ifFound, isCrd, isNamespace, resolveAnyVersion } from '../known-types.ts';
import { nameOf } from '../prepared-object.ts';
import { deleteObject, isKeptByHelm } from './delete-object.ts';
import { contentOf } from './remove-namespace.ts';

/** `disabled`: the object stays when it leaves its chart. */
export const ANNOTATION_PRUNE = 'reconciler.kyma-project.io/prune';

export interface PruneOptions extends Pick<Deps, 'log'> {
  readonly target: DeployTarget;
  readonly signal: AbortSignal;
}

/** Objects that are deleted at a time. */
const WIDTH = 8;

/**
 * Deletes objects that have left the chart of a component. A CRD with custom resources and a namespace with content stay in
 * the inventory, and are deleted when they are empty.
 *
 * @returns the entries that stay
 */
export async function prune(
  entries: readonly InventoryEntry[],
  { target, signal, log }: PruneOptions,
): Promise<readonly InventoryEntry[]> {
  const { cluster, component } = target;
  const staying: InventoryEntry[] = [];
  await inParallel(entries, WIDTH, async (entry) => {
    const type = await resolveAnyVersion(cluster.kinds, entry, signal);
    if (type === undefined) return;
    const isKept = async (live: KubeObject) => {
      if (isOptedOut(live)) return true;
      if (!(await isInUse(live, type, { target, signal }))) return false;
      staying.push(entry);
      return true;
    };
    const { state } = await deleteObject(type, entry.key, { cluster, component, signal, isKept });
    log.info('an object has left the chart of its component', {
      cluster: cluster.name,
      component,
      object: nameOf(objectOfEntry(entry)),
      state,
    });
  });
  return staying;
}

const isOptedOut = (live: KubeObject): boolean =>
  live.metadata.annotations?.[ANNOTATION_PRUNE] === 'disabled' || isKeptByHelm(live);

/** Whether the deletion of the object would delete objects of users. */
async function isInUse(
  live: KubeObject,
  type: ResourceType,
  { target: { cluster }, signal }: Pick<PruneOptions, 'target' | 'signal'>,
): Promise<boolean> {
  const { name } = live.metadata;
  if (!isNamespace(type) && !isCrd(type)) return false;
  // Others may have created kinds since, and objects of them.
  cluster.kinds.forget();
  if (isNamespace(type)) return (await contentOf({ cluster, namespace: name, signal })).length > 0;
  using part = await cluster.part({ signal });
  const { spec } = await part.client.get(customResourceDefinitions, { name }, { signal });
  const served = spec.versions?.find(({ served }) => served);
  if (served === undefined) return true;
  const kind = await cluster.kinds.find(`${spec.group}/${served.name}`, spec.names.kind, { signal });
  if (kind === undefined) return false;
  const page = await ifFound(part.client.listMetadata(kind, { limit: 1, signal }));
  return page !== undefined && (page.items.length > 0 || page.continue !== undefined);
}
