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
