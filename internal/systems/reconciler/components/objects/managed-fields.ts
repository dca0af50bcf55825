import { isObject, valueAt } from '../../../../framework/base/index.ts';
import { UPDATE_MANAGER } from '../../../../framework/kube/apply/owned-fields.ts';
import {
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '../../../../framework/kube/index.ts';

/** The field manager of all objects that component reconcilers apply. */
export const FIELD_MANAGER = 'kyma-reconciler';

/** An entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly fields: FieldSet;
  /** As the server sent it. */
  readonly raw: unknown;
}

/** The fields of an entry (`fieldsV1`): `f:spec` → `f:replicas` → {}. */
export type FieldSet = Readonly<Record<string, unknown>>;

type WithMetadata = { readonly metadata: Pick<KubeObject['metadata'], 'managedFields'> };

export function entriesOf({ metadata }: WithMetadata): readonly ManagedFieldsEntry[] {
  const entries: unknown = metadata.managedFields ?? [];
  if (!Array.isArray(entries)) return [];
  return entries.map((raw: unknown) => {
    const text = (name: string) => {
      const value = valueAt(raw, [name]);
      return typeof value === 'string' ? value : '';
    };
    const fields = valueAt(raw, ['fieldsV1']);
    return {
      manager: text('manager'),
      operation: text('operation'),
      subresource: text('subresource'),
      fields: isObject(fields) ? fields : {},
      raw,
    };
  });
}

export const isOwn = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === FIELD_MANAGER && operation === 'Apply' && subresource === '';

/** The entry of component reconcilers; undefined if they have not applied the object. */
export const ownEntry = (object: WithMetadata): ManagedFieldsEntry | undefined =>
  entriesOf(object).find(isOwn);

/** Whether component reconcilers own the field, e.g. `['f:spec', 'f:replicas']`. */
export const ownsField = (object: WithMetadata, path: readonly string[]): boolean =>
  valueAt(ownEntry(object)?.fields, path) !== undefined;

/** The fields of both. */
export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  const merged = new Map(Object.entries(a));
  for (const [name, fields] of Object.entries(b)) {
    const old = merged.get(name);
    merged.set(name, isObject(old) && isObject(fields) ? unionOf(old, fields) : fields);
  }
  return Object.fromEntries(merged);
}

/**
 * Replaces the managed fields of an object, and nothing else.
 *
 * @param object as it was read
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
export async function writeManagedFields(
  client: Pick<KubeClient, 'jsonPatch'>,
  type: ResourceType,
  object: KubeObject,
  { managedFields, signal }: { readonly managedFields: readonly unknown[]; readonly signal: AbortSignal },
): Promise<KubeObject> {
  return await client.jsonPatch(
    type,
    keyOf(object),
    [
      // A conflict if the object was changed since.
      { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: managedFields },
    ],
    { signal },
  );
}

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
