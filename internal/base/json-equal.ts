/**
 * Whether two values are the same JSON: order of keys and members that are `undefined` do not count. They are compared
 * as they stand, since every pass does so and writing them out first takes several times as long.
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (writesItself(a) || writesItself(b)) return jsonEqual(written(a), written(b));
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  return sameMembers(a as Members, b as Members);
}

type Members = Readonly<Record<string, unknown>>;

function sameMembers(a: Members, b: Members): boolean {
  const has = (object: Members, name: string) => Object.hasOwn(object, name) && object[name] !== undefined;
  return (
    Object.keys(a).every((name) => !has(a, name) || (has(b, name) && jsonEqual(a[name], b[name]))) &&
    Object.keys(b).every((name) => !has(b, name) || has(a, name))
  );
}

/** As a Date does. JSON itself may have a member of that name, but not a function. */
const writesItself = (value: object): boolean => 'toJSON' in value && typeof value.toJSON === 'function';

const written = (value: object): unknown => JSON.parse(JSON.stringify(value));
