import { isObject } from '../../../base/json/json-field.ts';

/** Values of a chart, as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Nested values for dotted keys: `{ 'a.b': 1 }` becomes `{ a: { b: 1 } }`. Keys are applied in their order by code units, so
 * `a.b` replaces what `a` has at `b`, and the result does not depend on the order of the request. Maps below a key are merged.
 */
export function nestedValues(configuration: Values): Values {
  return Object.keys(configuration)
    .sort()
    .reduce<Values>((values, key) => mergedValues(values, nested(key.split('.'), configuration[key])), {});
}

function nested(path: readonly string[], value: unknown): Values {
  const [key = '', ...rest] = path;
  return record([[key, rest.length === 0 ? value : nested(rest, value)]]);
}

/** Maps are merged, all else of `over` replaces what `base` has. Neither is changed. */
export function mergedValues(base: Values, over: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = merged.get(key);
    merged.set(key, isObject(before) && isObject(value) ? mergedValues(before, value) : value);
  }
  return record(merged);
}

/** Own members only, so that a key `__proto__` is a key like others. */
const record = (entries: Iterable<readonly [string, unknown]>): Values => Object.fromEntries(entries);
