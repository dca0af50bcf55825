import { isObject, valueAt } from '../../../../framework/base/index.ts';
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
