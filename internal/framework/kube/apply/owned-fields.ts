import { isDeepStrictEqual } from 'node:util';
import { isObject, ownMember, valueAt } from '../../base/json/json-value.ts';
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

/** The manager of updates and patches of this program: API servers take it from its user agent. */
export const UPDATE_MANAGER = 'provider-kyma';

/** Names of labels and annotations. */
export interface MarkNames {
  readonly labels: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

/** The labels and annotations that updates of this program have written, and nobody else. The object must have its `managedFields`. */
export function writtenMarks(object: KubeObject): MarkNames {
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const isOwn = ({ manager, operation }: ManagedFieldsEntry) =>
    manager === UPDATE_MANAGER && operation === 'Update';
  const namesOf = (field: string) => {
    const names = (list: readonly ManagedFieldsEntry[]) =>
      list.flatMap(({ fieldsV1 }) => fieldNames(valueAt(fieldsV1, ['f:metadata', field])));
    const others = new Set(names(entries.filter((entry) => !isOwn(entry))));
    return new Set(names(entries.filter(isOwn)).filter((name) => !others.has(name)));
  };
  return { labels: namesOf('f:labels'), annotations: namesOf('f:annotations') };
}

const fieldNames = (fields: unknown): readonly string[] =>
  Object.keys(isObject(fields) ? fields : {}).flatMap((path) =>
    path.startsWith('f:') ? [path.slice(2)] : [],
  );
