import { dict, fromOutside, int64, list, type Value } from '../../gotemplate/index.ts';

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
