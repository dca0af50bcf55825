import { isObject } from '../../../framework/base/json/json-field.ts';

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
