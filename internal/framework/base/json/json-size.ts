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
