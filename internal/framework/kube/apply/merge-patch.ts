import { isDeepStrictEqual } from 'node:util';
import { isObject, ownMember } from '../../base/json/json-value.ts';

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return structuredClone(patch);
  // Not by assignment: a member called `__proto__` would reach the prototype.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/**
 * The fields of `after` that `before` does not have or that differ; lists are compared as a whole. Removed fields are
 * not included: server-side apply gives up a field that is no longer applied.
 */
export function changedFields(before: unknown, after: Json): Json {
  const changed = Object.entries(after).flatMap(([name, value]) => {
    const old = isObject(before) ? ownMember(before, name) : undefined;
    if (value === undefined || isDeepStrictEqual(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? changedFields(old, value) : value] as const];
  });
  return Object.fromEntries(changed);
}

type Json = Readonly<Record<string, unknown>>;
