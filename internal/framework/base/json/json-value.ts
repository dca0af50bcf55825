/** JSON values that others wrote, once they are parsed: their fields, comparison, copies, size. */
import { ProviderError } from '../errors/errors.ts';

/** The value at a path of an untrusted JSON value. */
type Field<T> =
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

/** The string at a path; `undefined` if there is none, or another type. */
export function textAt(root: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(root, path);
  return typeof found === 'string' ? found : undefined;
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

/**
 * Whether two values are the same JSON. The order of keys and `undefined` members do not count. Several times faster than
 * a comparison of serialised texts.
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (hasToJSON(a) || hasToJSON(b)) return jsonEqual(serialised(a), serialised(b));
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  return sameMembers(a as Members, b as Members);
}

type Members = Readonly<Record<string, unknown>>;

function sameMembers(a: Members, b: Members): boolean {
  let more = 0;
  for (const name in a) {
    const member = a[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(b, name) || !jsonEqual(member, b[name])) return false;
    more++;
  }
  for (const name in b) if (b[name] !== undefined) more--;
  return more === 0;
}

/** True for a Date. In JSON, a member `toJSON` is not a function. */
const hasToJSON = (value: object): boolean => typeof (value as Members).toJSON === 'function';

const serialised = (value: object): unknown => JSON.parse(JSON.stringify(value));

/**
 * Objects and arrays in each other. API servers store objects of 10,000 levels in fields without a schema, but
 * `JSON.stringify` and recursive functions overflow the stack at a few thousand.
 */
export const maxNesting = 500;

/**
 * A deep copy of plain JSON that may be changed. `undefined` members are copied as well. Several times faster than
 * `structuredClone`.
 *
 * @throws a `terminal` error for a value nested deeper than `maxNesting`
 */
export function cloneJson<T>(value: T): T {
  return isContainer(value) ? (cloneContainer(value, 1) as T) : value;
}

/**
 * For a value that is not copied: refuses what `cloneJson` refuses.
 *
 * @throws a `terminal` error for a value nested deeper than `maxNesting`
 */
export function assertNesting(value: unknown): void {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxNesting) throw tooDeep();
    const next: object[] = [];
    for (const container of level) {
      for (const member of Array.isArray(container) ? container : Object.values(container))
        if (isContainer(member)) next.push(member);
    }
    level = next;
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const tooDeep = () =>
  new ProviderError('terminal', `the object is nested deeper than ${maxNesting} levels`);

/** Copies all members at once with a spread, which is fast, then the containers among them. */
function cloneContainer(value: object, depth: number): object {
  if (depth > maxNesting) throw tooDeep();
  if (Array.isArray(value)) {
    return value.map((item) => (isContainer(item) ? cloneContainer(item, depth + 1) : item));
  }
  // An own member `__proto__` is defined by the spread, so the assignment below does not set the prototype.
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const member = copy[name];
    if (isContainer(member)) copy[name] = cloneContainer(member, depth + 1);
  }
  return copy;
}

/**
 * Freezes plain JSON deeply, for shared values. Returns the same value. Not recursive: the nesting of an untrusted value
 * may overflow the stack.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const container = open.pop();
    if (typeof container !== 'object' || container === null || Object.isFrozen(container)) continue;
    for (const part of Object.values(container)) if (typeof part === 'object') open.push(part);
    Object.freeze(container);
  }
  return value;
}

/**
 * About how many characters the JSON text of a plain value has; counting ends at `limit`, so that a large value costs no more than
 * a small one. Not recursive: see `maxNesting`.
 */
export function jsonSize(value: unknown, limit: number): number {
  const open: object[] = [];
  let size = 0;
  const add = (part: unknown) => {
    if (typeof part === 'string') size += part.length + 2;
    else if (typeof part === 'object' && part !== null) open.push(part);
    else size += SCALAR;
  };
  add(value);
  for (let next = open.pop(); next !== undefined && size < limit; next = open.pop()) {
    size += 2;
    if (Array.isArray(next)) {
      for (let at = 0; at < next.length && size < limit; at++) add(next[at]);
    } else {
      for (const name in next) {
        if (size >= limit) break;
        size += name.length + 3;
        add((next as Readonly<Record<string, unknown>>)[name]);
      }
    }
  }
  return Math.min(size, limit);
}

/** Of a number, a boolean or null. */
const SCALAR = 4;

/**
 * Fields and elements in a plain value, at all levels; counting ends at `limit`. What a value costs depends on them more than on the
 * length of its text.
 */
export function countValues(value: unknown, limit: number): number {
  const open: object[] = [];
  const visit = (part: unknown) => {
    if (typeof part === 'object' && part !== null) open.push(part);
  };
  visit(value);
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += Array.isArray(next) ? next.length : Object.keys(next).length;
    if (count >= limit) return limit;
    // Values of an object with very many members cost more than their names.
    for (const member of Array.isArray(next) ? next : Object.values(next)) visit(member);
  }
  return count;
}
