/**
 * Escapes untrusted texts for terminals: names, IDs, messages, values of fields. `Shown` is the type of escaped values;
 * formatters of commands accept only this type.
 */

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, invisible marks and marks that change the direction
 * of text (Unicode TR 36), tags, private use, and lone surrogates.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu;

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Replaces control characters and invisible characters with escape sequences: `\e[31m`. */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => names[character] ?? escaped(character));
}

/** Replaces such characters in JSON with JSON's escape sequences. The value stays the same. */
export function visibleJson(json: string): string {
  // Line breaks occur only between tokens; in strings JSON escapes them.
  return json.replace(unsafe, (character) => (character === '\n' ? character : escaped(character)));
}

/** Like `visible`, but keeps line breaks. For the program's own texts, such as help. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** `\u009b`; a surrogate pair for a character above U+FFFF, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

declare const isShown: unique symbol;

/** A value with all texts, including property names, escaped by `visible`. */
export type Shown<T> = T & { readonly [isShown]: true };

/** A copy of plain data with escaped texts. */
export function shown<T>(value: T): Shown<T> {
  return copyOf(value) as Shown<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), copyOf(member)]));
}
