import { isObject } from '../../../../../framework/base/index.ts';
import { UPDATE_MANAGER } from '../../../../../framework/kube/apply/owned-fields.ts';
import type { KubeObject } from '../../../../../framework/kube/index.ts';
import { entriesOf, type FieldSet, isOwn, type ManagedFieldsEntry, ownEntry } from '../managed-fields.ts';

/** Parts of the metadata that belong to controllers and the garbage collector. */
const KEPT_METADATA: ReadonlySet<string> = new Set(['f:finalizers', 'f:ownerReferences']);

/** Whether others own fields that the chart does not have. Those of the status and of subresources do not count. */
export function hasForeignFields(object: Pick<KubeObject, 'metadata'>): boolean {
  const own = ownEntry(object)?.fields ?? {};
  return entriesOf(object).some((entry) => isForeign(entry) && exceeds(relevant(entry.fields), own));
}

const isForeign = (entry: ManagedFieldsEntry): boolean =>
  !isOwn(entry) && entry.subresource === '' && entry.manager !== UPDATE_MANAGER;

function relevant(fields: FieldSet): FieldSet {
  const { 'f:status': _, 'f:metadata': metadata, ...others } = fields;
  if (!isObject(metadata)) return others;
  const kept = Object.entries(metadata).filter(([name]) => !KEPT_METADATA.has(name));
  return kept.length === 0 ? others : { ...others, 'f:metadata': Object.fromEntries(kept) };
}

/** Whether `theirs` has a field that `own` has not. */
function exceeds(theirs: FieldSet, own: FieldSet): boolean {
  return Object.entries(theirs).some(([name, inner]) => {
    if (name === '.') return false;
    const children = isObject(inner) ? Object.keys(inner).filter((child) => child !== '.') : [];
    const counterpart = Object.hasOwn(own, name) ? own[name] : undefined;
    if (!isObject(counterpart)) return children.length === 0 || !isObject(inner) || exceeds(inner, {});
    // A field that is owned as a whole includes what is in it.
    return isObject(inner) && Object.keys(counterpart).length > 0 && exceeds(inner, counterpart);
  });
}

/** The object as the chart has it, with what belongs to the server and to controllers: for an update that removes all else. */
export function exactly(wanted: KubeObject, live: KubeObject & { readonly status?: unknown }): KubeObject {
  const { resourceVersion, uid, finalizers, ownerReferences } = live.metadata;
  return {
    ...wanted,
    metadata: {
      ...wanted.metadata,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(uid === undefined ? {} : { uid }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    ...(live.status === undefined ? {} : { status: live.status }),
  };
}
