import { digitsOf, rounded } from '../base/json/json-text.ts';
import { isObject, jsonEqual, ownMember, valueAt } from '../base/json/json-value.ts';
import { cutText } from '../base/text/text.ts';
import {
  comparedValue,
  fieldPath,
  type JsonObject,
  pathOf,
  type RestDefinition,
  type RestField,
  sentValue,
  specValue,
} from './definition.ts';
import { textOf } from './external-name.ts';

/** A field of the spec that the external resource does not have as it should be. */
export interface Difference {
  readonly name: string;
  readonly field: RestField;
  /** For users. */
  readonly text: string;
}

/** The fields of the spec that are set and differ. What the spec does not set belongs to the external system. */
export function differences(
  { fields }: Pick<RestDefinition, 'fields'>,
  forProvider: JsonObject,
  external: JsonObject,
): Difference[] {
  const found: Difference[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (!isVisible(field)) continue;
    const desired = comparedValue(sentValue(ownMember(forProvider, name), field), field);
    const observed = valueAt(external, fieldPath(name, field));
    if (desired === undefined || covers(desired, observed, field.unordered ?? false)) continue;
    found.push({ name, field, text: `${name} is ${shown(observed)}, should be ${shown(desired)}` });
  }
  return found;
}

/** The values of unset fields of the spec that the external resource has. */
export function lateValues(
  { fields }: Pick<RestDefinition, 'fields'>,
  forProvider: JsonObject,
  external: JsonObject,
): JsonObject {
  const late = Object.entries(fields).flatMap(([name, field]) => {
    if (!isVisible(field) || field.lateInitialize === false || ownMember(forProvider, name) !== undefined)
      return [];
    const observed = ownValue(external, name, fields);
    const value = hasNullItem(observed) ? undefined : withoutNulls(rounded(specValue(observed, field)));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(late);
}

/** APIs return null for what is not set, which only a nullable schema accepts. Undefined for null itself. */
export function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.flatMap((item) => (item === null ? [] : [withoutNulls(item)]));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)]])),
  );
}

/** Without its nulls a list would be another one, which an update would send. */
function hasNullItem(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => item === null || hasNullItem(item));
  return isObject(value) && Object.values(value).some(hasNullItem);
}

/** The value of a field in a request or a response. An object is without the members that are fields of their own. */
export function ownValue(object: unknown, name: string, fields: RestDefinition['fields']): unknown {
  const path = fieldPath(name, ownMember(fields, name) ?? {});
  const inner = Object.entries(fields)
    .map(([other, field]) => fieldPath(other, field))
    .filter((other) => other.length > path.length && path.every((step, index) => other[index] === step))
    .map((other) => other.slice(path.length));
  const value = valueAt(object, path);
  if (inner.length === 0) return value;
  const rest = inner.reduce(without, value);
  return isObject(rest) && Object.keys(rest).length === 0 ? undefined : rest;
}

function without(value: unknown, [first = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, first)) return value;
  const { [first]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [first]: without(member, rest) };
}

/** Whether the API says that it keeps the external resource only for a while. */
export function isDeleted(external: JsonObject, { deleted }: Pick<RestDefinition, 'deleted'>): boolean {
  if (deleted === undefined) return false;
  const mark = valueAt(external, pathOf(deleted.field));
  return deleted.values === undefined ? Boolean(mark) : deleted.values.includes(textOf(mark) ?? '');
}

/** The API returns the field, and the spec has it. */
export const isVisible = ({ writeOnly, secret, value }: RestField) =>
  !writeOnly && !secret && value === undefined;

/** Whether the observed value has everything that is desired. Members that the API adds do not count. */
export function covers(desired: unknown, observed: unknown, unordered = false): boolean {
  if (desired === null || desired === undefined) return observed === null || observed === undefined;
  const digits = digitsOf(observed);
  // A number in the spec is as the API server has stored it.
  if (digits !== undefined) return digitsOf(desired) === digits || Number(digits) === desired;
  if (Array.isArray(desired)) {
    if (!Array.isArray(observed))
      return desired.length === 0 && (observed === null || observed === undefined);
    if (desired.length !== observed.length) return false;
    if (!unordered) return desired.every((item, index) => covers(item, observed[index]));
    const left = [...observed];
    return desired.every((item) => {
      const index = left.findIndex((other) => covers(item, other));
      if (index >= 0) left.splice(index, 1);
      return index >= 0;
    });
  }
  if (isObject(desired))
    return isObject(observed)
      ? Object.entries(desired).every(([name, value]) => covers(value, ownMember(observed, name), unordered))
      : Object.values(desired).every((value) => covers(value, undefined));
  return jsonEqual(desired, observed) || isSameTime(desired, observed);
}

/** RFC 3339 with another number of digits or another offset; `2030-01-01` is a date, and no time. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

function isSameTime(desired: unknown, observed: unknown): boolean {
  if (typeof desired !== 'string' || typeof observed !== 'string') return false;
  return TIME.test(desired) && TIME.test(observed) && Date.parse(desired) === Date.parse(observed);
}

const MAX_SHOWN = 64;

function shown(value: unknown): string {
  return cutText(value === undefined ? 'not set' : JSON.stringify(value), MAX_SHOWN);
}
