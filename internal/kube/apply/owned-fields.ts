import { isDeepStrictEqual } from 'node:util';
import { ownMember } from '../../base/json/json-field.ts';
import type { KubeObject } from '../object/object.ts';

/** Where the API server notes who set which field, as far as it concerns us. */
interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The part of an object that `manager` owns by server-side apply, with its current values. A manager that applies
 * less than it did before gives up the rest, and the API server removes what nobody else owns: so who wants to apply a
 * change adds it to this. The object must come with its `managedFields`.
 */
export function ownedFields(object: KubeObject, manager: string): Json {
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const own = entries.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
  const owned = own === undefined ? undefined : extract(object, own.fieldsV1);
  return isJson(owned) ? owned : {};
}

/** `undefined` where nothing is left of what is owned. */
function extract(value: unknown, fields: unknown): unknown {
  const parts = isJson(fields) ? Object.entries(fields).filter(([name]) => name !== '.') : [];
  if (parts.length === 0) return value;
  if (Array.isArray(value)) return extractItems(value, parts);
  if (!isJson(value)) return undefined;
  const owned = parts.flatMap(([path, inner]) => {
    const name = path.slice(2);
    const part = path.startsWith('f:') ? extract(ownMember(value, name), inner) : undefined;
    return part === undefined ? [] : [[name, part] as const];
  });
  return owned.length === 0 ? undefined : Object.fromEntries(owned);
}

/** Items of a list that is merged item by item: found by their keys (`k:`), or by themselves (`v:`). */
function extractItems(items: readonly unknown[], parts: readonly (readonly [string, unknown])[]): unknown {
  const owned = parts.flatMap(([path, inner]) => {
    const wanted: unknown = JSON.parse(path.slice(2));
    const item = items.find((candidate) =>
      path.startsWith('k:') ? matches(candidate, wanted) : isDeepStrictEqual(candidate, wanted),
    );
    if (item === undefined) return [];
    const part = extract(item, inner);
    return [isJson(part) && isJson(wanted) && path.startsWith('k:') ? { ...wanted, ...part } : part];
  });
  return owned.length === 0 ? undefined : owned;
}

function matches(candidate: unknown, keys: unknown): boolean {
  return (
    isJson(candidate) &&
    isJson(keys) &&
    Object.entries(keys).every(([name, value]) => isDeepStrictEqual(ownMember(candidate, name), value))
  );
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
