import { toBytes } from '../../values/text.ts';

/**
 * Layouts of Go: the reference time, Mon Jan 2 15:04:05 MST 2006, written as wanted. A layout consists of elements and of
 * text between them. `_2006` is an underscore and a year.
 */
const ELEMENTS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|__2|_2(?!006)|[345]|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?![0-9])/;

interface LayoutElement {
  /** Text before the element. */
  readonly prefix: string;
  /** The element, such as `2006` or `.000`. Empty: the layout ends after the prefix. */
  readonly element: string;
  /** The rest of the layout. */
  readonly suffix: string;
}

export function nextElement(layout: string): LayoutElement {
  const match = ELEMENTS.exec(layout);
  if (!match) return { prefix: layout, element: '', suffix: '' };
  const [element] = match;
  return {
    prefix: layout.slice(0, match.index),
    element,
    suffix: layout.slice(match.index + element.length),
  };
}

/** Whether an element stands for a fraction of a second. */
export const isFraction = (element: string): boolean => /^[.,]/.test(element);

/** The time of RFC 3339, in which JSON has it. */
export const RFC3339_NANO = '2006-01-02T15:04:05.999999999Z07:00';

/** The layout of the method String. */
export const TEXT_LAYOUT = '2006-01-02 15:04:05.999999999 -0700 MST';

/** Quoted as package time does it: bytes that are not printable ASCII as `\xNN`. */
export function quoteTime(text: string): string {
  let quoted = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `"${quoted}"`;
}
