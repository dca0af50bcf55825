/** Classes of characters of YAML 1.1. Characters are UTF-16 units; NaN is the end of the text. */

export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const isEnd = (code: number): boolean => Number.isNaN(code) || code === 0;

export const isBreakOrEnd = (code: number): boolean => isBreak(code) || isEnd(code);

export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);

/** A letter, a digit, `_` or `-`. */
export const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x5f ||
  code === 0x2d;

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** What may not be in a document at all. Escaped bytes (see gotemplate/values/text.ts) are not UTF-8. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Why a text cannot be read. Undefined: it can. */
export function findForbidden(text: string): string | undefined {
  const found = FORBIDDEN.exec(text)?.[0].charCodeAt(0);
  if (found === undefined) return undefined;
  if (found < 0xdc80 || found > 0xdcff) return 'control characters are not allowed';
  // The byte begins a character if it is one of these.
  const isLeading = found >= 0xdcc0 && found <= 0xdcf7;
  return isLeading ? 'invalid trailing UTF-8 octet' : 'invalid leading UTF-8 octet';
}
