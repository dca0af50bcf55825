import { wrap } from '../../base/errors/errors.ts';
import { isObject, ownMember, valueAt } from '../../base/json/json-value.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Managed } from '../resource/managed.ts';
import { recordedExternalName } from '../resource/meta.ts';
import type { Reference, Selector } from './reference.ts';
import { createReferenceResolver, type ReferenceResolver } from './reference-resolver.ts';
import type { TargetReaderOptions } from './target-reader.ts';

/** A field of `spec.forProvider` that references fill, as `provider-kyma-generate` writes it for `$reference`. */
export interface FieldReference {
  /** Objects and lists within `spec.forProvider` that lead to the field, e.g. `['rules']`. Default: none. */
  readonly within?: readonly string[];
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

/** `ManagedKind.resolveReferences` for a table of fields. Those within lists are for `resolveWithin`. */
export function resolveFieldReferences<R extends Managed>(
  fields: readonly FieldReference[],
): (resource: R, references: ReferenceResolver) => Promise<void> {
  return async (resource, references) => {
    const forProvider: unknown = valueAt(resource.spec, ['forProvider']);
    if (!isObject(forProvider)) return;
    const filled: Record<string, unknown> = {};
    for (const reference of fields)
      if (reference.within === undefined)
        Object.assign(filled, await filledBy(reference, forProvider, resource, references));
    Object.assign(forProvider, filled);
  };
}

/**
 * By name the fields of `spec.forProvider` whose objects and lists have references, with the values of these. They are for requests, and
 * not stored: an item of a list has one owner, so the resolver would take the list from those who apply it, at each apply.
 */
export async function resolveWithin(
  resource: Managed,
  fields: readonly FieldReference[],
  options: Omit<TargetReaderOptions, 'from'>,
): Promise<Readonly<Record<string, unknown>>> {
  const references = createReferenceResolver({ ...options, from: resource });
  const forProvider: unknown = valueAt(resource.spec, ['forProvider']);
  const filled: Record<string, unknown> = {};
  if (!isObject(forProvider)) return filled;
  for (const reference of fields) {
    const [root, ...path] = reference.within ?? [];
    const value = root === undefined ? undefined : (filled[root] ?? ownMember(forProvider, root));
    if (root === undefined || value === undefined) continue;
    const fill = async (at: unknown, steps: readonly string[]): Promise<unknown> => {
      if (Array.isArray(at)) return Promise.all(at.map((item) => fill(item, steps)));
      if (!isObject(at)) return at;
      const [first, ...rest] = steps;
      if (first === undefined) return { ...at, ...(await filledBy(reference, at, resource, references)) };
      return Object.hasOwn(at, first) ? { ...at, [first]: await fill(at[first], rest) } : at;
    };
    filled[root] = await fill(value, path);
  }
  return filled;
}

/** What a reference fills in an object. @throws an error whose message has the field */
async function filledBy(
  reference: FieldReference,
  object: Readonly<Record<string, unknown>>,
  resource: Managed,
  references: ReferenceResolver,
): Promise<Readonly<Record<string, unknown>>> {
  const { within = [], field, ref, selector } = reference;
  try {
    return await resolvedBy(reference, object, resource, references);
  } catch (error) {
    const set = [ref, selector].find((name) => object[name] !== undefined) ?? field;
    throw wrap(error, ['spec.forProvider', ...within, set].join('.'));
  }
}

async function resolvedBy(
  { field, ref, selector, many, value, to: types }: FieldReference,
  object: Readonly<Record<string, unknown>>,
  resource: Managed,
  references: ReferenceResolver,
): Promise<Readonly<Record<string, unknown>>> {
  const type = resource.metadata.namespace === undefined ? types.cluster : types.namespaced;
  if (type === undefined) return {};
  const to = { type, extract: (target: KubeObject) => extract(target, value) };
  // The API server has checked them by the schema.
  const selected = object[selector] as Selector | undefined;
  if (many) {
    const given = { values: object[field], refs: object[ref] } as {
      values: readonly string[] | undefined;
      refs: readonly Reference[] | undefined;
    };
    const { values, refs } = await references.many({ ...given, selector: selected, to });
    return { ...(values.length > 0 ? { [field]: values } : {}), ...(refs.length > 0 ? { [ref]: refs } : {}) };
  }
  const given = { value: object[field], ref: object[ref] } as {
    value: string | undefined;
    ref: Reference | undefined;
  };
  const one = await references.one({ ...given, selector: selected, to });
  return {
    ...(one.value === undefined ? {} : { [field]: one.value }),
    ...(one.ref === undefined ? {} : { [ref]: one.ref }),
  };
}

function extract(object: KubeObject, value: FieldReference['value']): string | undefined {
  if (value === 'external-name') return recordedExternalName(object);
  const found = valueAt(object, value);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
