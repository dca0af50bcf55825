/** The value for all values beyond the bound. */
export const OTHER = 'other';

const MAX_VALUES = 100;
/** In characters. */
const MAX_LENGTH = 128;

/**
 * Values of a label whose names others choose: each value is a series until the process ends, so only the first ones have a series of
 * their own.
 *
 * @param max different values; default 100
 */
export function createBoundedLabel(max = MAX_VALUES): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= max || value.length > MAX_LENGTH) return OTHER;
    known.add(value);
    return value;
  };
}

/** Of the statuses that HTTP defines, each first and last one. */
const STATUSES: readonly (readonly [first: number, last: number])[] = [
  [100, 103],
  [200, 208],
  [226, 226],
  [300, 308],
  [400, 418],
  [421, 431],
  [451, 451],
  [500, 511],
];

/** The status of a response as the value of a label: a server of others can send any number. */
export const statusLabel = (status: number): string =>
  STATUSES.some(([first, last]) => first <= status && status <= last) ? String(status) : OTHER;
