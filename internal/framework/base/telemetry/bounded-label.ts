/** The value for all values beyond the bound. */
const OTHER = 'other';

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
