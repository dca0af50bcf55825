/** The value at a path of an untrusted JSON value. */
export type Field<T> =
  | { readonly state: 'ok'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'wrong-type'; readonly found: string };

/** A JSON object; not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The own member `name` of the object. Not `object[name]`: an untrusted name may be `constructor`, which every object
 * inherits.
 */
export function ownMember<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value at `path`; `undefined` if a part of the path is missing or not an object. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Sets the value at `path`. Objects on the way are copied, not changed. */
export function setAt(
  object: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    object[first] = value;
    return;
  }
  const before = ownMember(object, first);
  const inner = isObject(before) ? { ...before } : {};
  setAt(inner, rest, value);
  object[first] = inner;
}

/** The string at `path`. An explicit null counts as absent, as it does for Kubernetes. */
export function stringAt(root: unknown, path: readonly string[]): Field<string> {
  const value = valueAt(root, path);
  if (value === undefined || value === null) return { state: 'absent' };
  if (typeof value === 'string') return { state: 'ok', value };
  return { state: 'wrong-type', found: Array.isArray(value) ? 'array' : typeof value };
}
