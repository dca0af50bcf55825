/** Escapes untrusted texts that people read: names, IDs, messages, values of fields. */
import { redact } from './redact.ts';
import { cutMiddle, maxTextLength } from './text.ts';

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

/** Like `visible`, but keeps line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/**
 * A message for a condition or an event, which may quote a text of a remote system: redacted, cut in the middle, and escaped as by
 * `visibleLines`, since clients print it to terminals.
 *
 * @param limit in characters
 */
export function visibleMessage(text: string, limit: number): string {
  // A longer text would lose its end.
  const redacted = redact(cutMiddle(text, maxTextLength));
  return cutMiddle(visibleLines(cutMiddle(redacted, limit)), limit);
}

/** `\u009b`; a surrogate pair for a character above U+FFFF, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
