/** A label value has at most so many characters. */
const MAX_LENGTH = 63;

/** The name as a label value: cut, and without separators at its end. */
export const labelValueOf = (name: string): string => cutName(name, MAX_LENGTH);

/** At most `length` characters, without separators at the end, which no name and no label value ends with. */
export function cutName(name: string, length: number): string {
  let end = Math.min(name.length, length);
  while (end > 0 && '-_.'.includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}
