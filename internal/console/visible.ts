/**
 * Texts of others on a terminal: names, IDs, messages, values of fields. Everything that people read passes `visible`;
 * `Shown` is the type of what did, and the formatters of commands take nothing else.
 */

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, marks that are not seen or turn the direction of text
 * (Unicode TR 36), tags and private use, and halves of surrogate pairs.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu;

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** The text with every character that steers a terminal, or is not seen, written as an escape sequence: `\e[31m`. */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => names[character] ?? escaped(character));
}

/** JSON with such characters as JSON's own escape sequences. It means the same. */
export function visibleJson(json: string): string {
  // What JSON itself has between its tokens are line breaks and spaces; in its strings they are escaped already.
  return json.replace(unsafe, (character) => (character === '\n' ? character : escaped(character)));
}

/** The same of a text of several lines of ours, such as help. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** `\u009b`; two of them for a character beyond the basic plane, as JSON has it. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

declare const isShown: unique symbol;

/** A value in which every text, names of members included, went through `visible`. */
export type Shown<T> = T & { readonly [isShown]: true };

/** A copy of plain data for people. */
export function shown<T>(value: T): Shown<T> {
  return copyOf(value) as Shown<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), copyOf(member)]));
}
