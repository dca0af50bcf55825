import { isObject, valueAt } from '../../base/json/json-field.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Managed } from '../resource/managed.ts';
import { recordedExternalName } from '../resource/meta.ts';
import type { Reference, Selector } from './reference.ts';
import type { ReferenceResolver } from './reference-resolver.ts';

/** A field of `spec.forProvider` that references fill, as `provider-kyma-generate` writes it for `$reference`. */
export interface FieldReference {
  readonly field: string;
  readonly ref: string;
  readonly selector: string;
  /** Whether the field is a list, and `ref` a list of references. */
  readonly many: boolean;
  /** The path of the value in the target. */
  readonly value: 'external-name' | readonly string[];
  /** The type of the target by the scope of the resource. */
  readonly to: { readonly cluster?: ResourceType; readonly namespaced?: ResourceType };
}

/** `ManagedKind.resolveReferences` for a table of fields. */
export function resolveFieldReferences<R extends Managed>(
  fields: readonly FieldReference[],
): (resource: R, references: ReferenceResolver) => Promise<void> {
  return async (resource, references) => {
    const forProvider: unknown = valueAt(resource.spec, ['forProvider']);
    if (!isObject(forProvider)) return;
    const filled: Record<string, unknown> = {};
    for (const { field, ref, selector, many, value, to: types } of fields) {
      const type = resource.metadata.namespace === undefined ? types.cluster : types.namespaced;
      if (type === undefined) continue;
      const to = { type, extract: (object: KubeObject) => extract(object, value) };
      // The API server has checked them by the schema.
      const selected = forProvider[selector] as Selector | undefined;
      if (many) {
        const given = { values: forProvider[field], refs: forProvider[ref] } as {
          values: readonly string[] | undefined;
          refs: readonly Reference[] | undefined;
        };
        const { values, refs } = await references.many({ ...given, selector: selected, to });
        if (values.length > 0) filled[field] = values;
        if (refs.length > 0) filled[ref] = refs;
        continue;
      }
      const given = { value: forProvider[field], ref: forProvider[ref] } as {
        value: string | undefined;
        ref: Reference | undefined;
      };
      const one = await references.one({ ...given, selector: selected, to });
      if (one.value !== undefined) filled[field] = one.value;
      if (one.ref !== undefined) filled[ref] = one.ref;
    }
    Object.assign(forProvider, filled);
  };
}

function extract(object: KubeObject, value: FieldReference['value']): string | undefined {
  if (value === 'external-name') return recordedExternalName(object);
  const found = valueAt(object, value);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
