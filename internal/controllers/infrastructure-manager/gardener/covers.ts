import { jsonEqual } from '../../../base/json/json-equal.ts';

/**
 * Whether `live` has every value of `wanted`; fields that only `live` has are Gardener's defaults or belong to others. Lists of
 * objects with names are compared by name, others as a whole.
 */
export function covers(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined || wanted === null) return true;
  if (Array.isArray(wanted)) return Array.isArray(live) && coversList(live, wanted);
  if (!isRecord(wanted)) return jsonEqual(live, wanted);
  if (!isRecord(live)) return Object.values(wanted).every((value) => value === undefined);
  return Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}

function coversList(live: readonly unknown[], wanted: readonly unknown[]): boolean {
  if (live.length !== wanted.length) return false;
  return wanted.every((item, index) => {
    const name = isRecord(item) ? item.name : undefined;
    const counterpart =
      name === undefined ? live[index] : live.find((each) => isRecord(each) && each.name === name);
    return covers(counterpart, item);
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
