import { dict, list } from './create.ts';
import { fromOutside } from './text.ts';
import type { Value } from './value.ts';

/**
 * The value of parsed JSON, as encoding/json decodes it into an `interface {}`: objects are map[string]interface {},
 * arrays []interface {}, numbers float64. The caller limits size and depth (see base/json/bounded-json.ts). Undefined
 * members are left out, and what JSON does not have becomes nil.
 */
export function fromJson(json: unknown): Value {
  if (typeof json === 'string') return fromOutside(json);
  if (typeof json === 'boolean' || typeof json === 'number') return json;
  if (Array.isArray(json)) return list(json.map(fromJson));
  if (typeof json !== 'object' || json === null) return null;
  const members = Object.entries(json).filter(([, value]) => value !== undefined);
  return dict(members.map(([key, value]) => [fromOutside(key), fromJson(value)]));
}
