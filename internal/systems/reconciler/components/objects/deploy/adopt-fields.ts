import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { entriesOf, isOwn, type ManagedFieldsEntry, unionOf, writeManagedFields } from '../managed-fields.ts';

/**
 * Field managers under which charts were installed before: Helm, kubectl, the Go program, and the name that API servers give
 * owners of objects from before server-side apply.
 */
const FORMER_MANAGERS: ReadonlySet<string> = new Set([
  'helm',
  'kubectl-client-side-apply',
  'kubectl-create',
  'mothership',
  'reconciler',
  'before-first-apply',
]);

/** Nothing of a claim can be removed, also not what admission has added. */
const isAdoptable = ({ group, kind }: ResourceType): boolean =>
  !(group === '' && kind === 'PersistentVolumeClaim');

const isFormer = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  FORMER_MANAGERS.has(manager) && operation === 'Update' && subresource === '';

/**
 * Makes fields of former installers our own, so that the next apply removes those that the chart does not have. The object
 * was just applied for the first time.
 *
 * @returns whether there were any
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
export async function adoptFields(
  client: Pick<KubeClient, 'jsonPatch'>,
  type: ResourceType,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const entries = entriesOf(object);
  const own = entries.find(isOwn);
  const former = entries.filter(isFormer);
  if (own === undefined || former.length === 0 || !isAdoptable(type)) return false;
  const fieldsV1 = former.reduce((fields, entry) => unionOf(fields, entry.fields), own.fields);
  const managedFields = entries.flatMap((entry) => {
    if (entry === own) return [{ ...(entry.raw as object), fieldsV1 }];
    return isFormer(entry) ? [] : [entry.raw];
  });
  await writeManagedFields(client, type, object, { managedFields, signal });
  return true;
}
