/** Values as tables: maps in maps, with the rules by which one is merged into another. A nil value is a key to remove. */
import { isObject } from '../../../framework/base/json/json-value.ts';
import { dict, fromOutside, GoMap, GoSlice, int64, list, type Value } from '../../gotemplate/index.ts';

export const isTable = (value: Value | undefined): value is GoMap => value instanceof GoMap;

function copyValue(value: Value): Value {
  if (value instanceof GoMap) return copyTable(value);
  if (value instanceof GoSlice) return list(value.items.map(copyValue));
  return value;
}

export const copyTable = (table: GoMap): GoMap =>
  dict([...table.entries].map(([key, value]) => [key, copyValue(value)]));

/** The table at a path of keys; undefined if there is none. */
export function tableAt(table: GoMap, path: readonly string[]): GoMap | undefined {
  let current: Value | undefined = table;
  for (const key of path) current = isTable(current) ? current.entries.get(key) : undefined;
  return isTable(current) ? current : undefined;
}

/** The value at a path that is no table; undefined if there is none. */
export function valueAt(table: GoMap, path: string): Value | undefined {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const value = tableAt(table, keys)?.entries.get(last);
  return isTable(value) ? undefined : value;
}

/** The values of `over` replace those of `base`, table by table; as for several values files. */
export function mergeFiles(base: GoMap, over: GoMap): GoMap {
  const merged = dict(base.entries);
  for (const [key, value] of over.entries) {
    const existing = merged.entries.get(key);
    merged.entries.set(key, isTable(value) && isTable(existing) ? mergeFiles(existing, value) : value);
  }
  return merged;
}

/**
 * Adds values of a lower priority to a table.
 *
 * @param keepsNil nil values stay, for a later merge; otherwise one removes the key of the lower priority
 */
export function addDefaults(table: GoMap, defaults: GoMap, keepsNil: boolean): GoMap {
  const known = new Set([...defaults.entries].filter(([, value]) => value !== null).map(([key]) => key));
  for (const [key, value] of table.entries) if (value === null) defaults.entries.set(key, null);
  for (const [key, value] of defaults.entries) {
    const existing = table.entries.get(key);
    if (existing === undefined) table.entries.set(key, value);
    else if (existing === null && !keepsNil && known.has(key)) table.entries.delete(key);
    else if (isTable(value) && isTable(existing)) addDefaults(existing, value, keepsNil);
  }
  return table;
}

/** Removes nil values at every level. */
export function removeNil(table: GoMap): void {
  for (const [key, value] of table.entries) {
    if (value === null) table.entries.delete(key);
    else if (isTable(value)) removeNil(value);
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Values of several sources, as `helm template -f one -f other` merges them: a later one wins, table by table. */
export const mergeValues = (...sources: readonly Values[]): Values => sources.reduce(mergeTwo, {});

function mergeTwo(base: Values, over: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const existing = merged.get(key);
    merged.set(key, isObject(value) && isObject(existing) ? mergeTwo(existing, value) : value);
  }
  return Object.fromEntries(merged);
}

/**
 * Values of a caller as templates see them: numbers are float64, as Helm reads them from YAML, and bigints int64, as it
 * reads them from `--set`. Undefined members are left out.
 */
export function toValue(json: unknown): Value {
  if (typeof json === 'string') return fromOutside(json);
  if (typeof json === 'boolean' || typeof json === 'number') return json;
  if (typeof json === 'bigint') return int64(json);
  if (Array.isArray(json)) return list(json.map(toValue));
  if (typeof json !== 'object' || json === null) return null;
  return dict(
    Object.entries(json)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [fromOutside(key), toValue(value)]),
  );
}
