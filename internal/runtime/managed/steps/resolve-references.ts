import { wrap } from '../../../base/errors/errors.ts';
import { cloneJson } from '../../../base/json/clone-json.ts';
import { jsonEqual } from '../../../base/json/json-equal.ts';
import { changedFields, mergePatch } from '../../../kube/apply/merge-patch.ts';
import { ownedFields } from '../../../kube/apply/owned-fields.ts';
import { keyOf } from '../../../kube/object/object.ts';
import { createReferenceResolver } from '../../references/reference-resolver.ts';
import type { Managed } from '../../resource/managed.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Owns the fields that references were resolved to. */
export const referenceFieldManager = 'managed.crossplane.io/api-simple-reference-resolver';

/** Has the kind fill the fields of the spec that refer to other objects, and stores what that changed. */
export async function resolveReferences<R extends Managed>(reconciliation: Reconciliation<R>): Promise<void> {
  const { kind, copy, client, signal } = reconciliation;
  if (kind.resolveReferences === undefined) return;
  const { object } = copy;
  const before = cloneJson(object.spec);
  try {
    await kind.resolveReferences(object, createReferenceResolver({ client, from: object, signal }));
  } catch (error) {
    throw wrap(error, 'cannot resolve references');
  }
  if (jsonEqual(before, object.spec)) return;
  const resolved = object.spec;
  try {
    if (copy.hasChanges()) {
      // The answer to the apply would overwrite what is only staged.
      object.spec = before;
      await copy.put(signal);
    }
    object.spec = resolved;
    await copy.apply(await fieldsToApply(reconciliation, before), referenceFieldManager, signal);
  } catch (error) {
    throw wrap(error, 'cannot patch the managed resource via server-side apply');
  }
}

/** What changed, and what was resolved before and would else be given up. */
async function fieldsToApply<R extends Managed>(
  { kind, copy, client, signal }: Reconciliation<R>,
  before: R['spec'],
): Promise<object> {
  const { metadata } = await client.get(kind.type, keyOf(copy.object), { signal });
  const { spec } = copy.object;
  const owned = ownedFields({ ...copy.object, metadata }, referenceFieldManager);
  return { spec: mergePatch(owned.spec, changedFields(before, { ...spec })) };
}
