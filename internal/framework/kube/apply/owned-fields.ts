import { isDeepStrictEqual } from 'node:util';
import { isObject, ownMember } from '../../base/json/json-field.ts';
import type { KubeObject } from '../object/object.ts';

/** The parts of `metadata.managedFields` that are used here. */
interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The part of an object that `manager` owns by server-side apply, with its current values. A manager that applies
 * fewer fields than before gives up the others, and the API server removes those without another owner. So a change is
 * added to this part before it is applied. The object must have its `managedFields`.
 */
export function ownedFields(object: KubeObject, manager: string): Json {
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const own = entries.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
  const owned = own === undefined ? undefined : extract(object, own.fieldsV1);
  return isObject(owned) ? owned : {};
}

/** `undefined` if no owned field exists any more. */
function extract(value: unknown, fields: unknown): unknown {
  const parts = isObject(fields) ? Object.entries(fields).filter(([name]) => name !== '.') : [];
  if (parts.length === 0) return value;
  if (Array.isArray(value)) return extractItems(value, parts);
  if (!isObject(value)) return undefined;
  const owned = parts.flatMap(([path, inner]) => {
    const name = path.slice(2);
    const part = path.startsWith('f:') ? extract(ownMember(value, name), inner) : undefined;
    return part === undefined ? [] : [[name, part] as const];
  });
  return owned.length === 0 ? undefined : Object.fromEntries(owned);
}

/** Items of an associative list, found by their keys (`k:`) or their value (`v:`). */
function extractItems(items: readonly unknown[], parts: readonly (readonly [string, unknown])[]): unknown {
  const owned = parts.flatMap(([path, inner]) => {
    const wanted: unknown = JSON.parse(path.slice(2));
    const item = items.find((candidate) =>
      path.startsWith('k:') ? matches(candidate, wanted) : isDeepStrictEqual(candidate, wanted),
    );
    if (item === undefined) return [];
    const part = extract(item, inner);
    return [isObject(part) && isObject(wanted) && path.startsWith('k:') ? { ...wanted, ...part } : part];
  });
  return owned.length === 0 ? undefined : owned;
}

function matches(candidate: unknown, keys: unknown): boolean {
  return (
    isObject(candidate) &&
    isObject(keys) &&
    Object.entries(keys).every(([name, value]) => isDeepStrictEqual(ownMember(candidate, name), value))
  );
}
