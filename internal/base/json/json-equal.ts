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

/** As a Date does. JSON itself may have a member of that name, but not a function. */
const writesItself = (value: object): boolean => typeof (value as Members).toJSON === 'function';

const written = (value: object): unknown => JSON.parse(JSON.stringify(value));
