import { wrap } from '../../base/errors/errors.ts';
import { cloneJson } from '../../base/json/clone-json.ts';
import { jsonEqual } from '../../base/json/json-equal.ts';
import { changedFields, mergePatch } from '../../kube/apply/merge-patch.ts';
import { ownedFields } from '../../kube/apply/owned-fields.ts';
import { keyOf } from '../../kube/object/object.ts';
import { createReferenceResolver } from '../references/reference-resolver.ts';
import type { Managed } from '../resource/managed.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Field manager of resolved fields; the name is that of crossplane-runtime. */
export const referenceFieldManager = 'managed.crossplane.io/api-simple-reference-resolver';

/** Resolves the references of the resource and stores the changes by server-side apply. */
export async function resolveReferences<R extends Managed>(reconciliation: Reconciliation<R>): Promise<void> {
  const { kind, copy, client, signal, objectWatcher } = reconciliation;
  if (kind.resolveReferences === undefined) return;
  const { object } = copy;
  const before = cloneJson(object.spec);
  try {
    const resolver = createReferenceResolver({ client, from: object, signal, objectWatcher });
    await kind.resolveReferences(object, resolver);
  } catch (error) {
    throw wrap(error, 'cannot resolve references');
  }
  if (jsonEqual(before, object.spec)) return;
  const resolved = object.spec;
  try {
    if (copy.hasChanges()) {
      // The response to the apply would overwrite unsaved changes.
      object.spec = before;
      await copy.put(signal);
    }
    object.spec = resolved;
    await copy.apply(await fieldsToApply(reconciliation, before), referenceFieldManager, signal);
  } catch (error) {
    throw wrap(error, 'cannot patch the managed resource via server-side apply');
  }
}

/** The changed fields, and fields resolved before, which the apply would otherwise remove. */
async function fieldsToApply<R extends Managed>(
  { kind, copy, client, signal }: Reconciliation<R>,
  before: R['spec'],
): Promise<object> {
  const { metadata } = await client.get(kind.type, keyOf(copy.object), { signal });
  const { spec } = copy.object;
  const owned = ownedFields({ ...copy.object, metadata }, referenceFieldManager);
  return { spec: mergePatch(owned.spec, changedFields(before, { ...spec })) };
}
