/** A label value has at most so many characters. */
const MAX_LENGTH = 63;

/** The name as a label value: cut, and without separators at its end. */
export function labelValueOf(name: string): string {
  let end = Math.min(name.length, MAX_LENGTH);
  while (end > 0 && '-_.'.includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}
