/**
 * Strings of Go are bytes. Here they are JavaScript strings in which each byte that is not part of valid UTF-8 is one
 * lone surrogate, U+DC80 for 0x80 to U+DCFF for 0xFF (as in PEP 383), so that binary data survives `b64dec | b64enc`.
 *
 * A string must be normal: no two parts of it together are valid UTF-8 that was escaped apart. `concat` keeps that, plain
 * `+` does not if both sides may hold escaped bytes. Texts from outside go through `fromOutside` first.
 */

const FIRST_ESCAPE = 0xdc80;
const LAST_ESCAPE = 0xdcff;

/** A text that may contain lone surrogates of its own (JSON allows them): they become U+FFFD, as Go decodes them. */
export const fromOutside = (text: string): string => text.toWellFormed();

/** Length in bytes, as `len` counts. */
export function byteLength(text: string): number {
  if (text.isWellFormed()) return Buffer.byteLength(text);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 || isEscapedByte(text, at)) length += 1;
    else if (code < 0x800) length += 2;
    else if (isHighSurrogate(code)) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
}

/** The bytes of a string. */
export function toBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const bytes = Buffer.allocUnsafe(byteLength(text));
  let length = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (isHighSurrogate(text.charCodeAt(at))) at++;
    else if (isEscapedByte(text, at)) {
      length += bytes.write(text.slice(start, at), length);
      bytes[length++] = text.charCodeAt(at) - FIRST_ESCAPE + 0x80;
      start = at + 1;
    }
  }
  bytes.write(text.slice(start), length);
  return bytes;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The string of some bytes. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return escapeInvalid(bytes);
  }
}

function escapeInvalid(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const width = runeWidth(bytes, at);
    if (width > 0) {
      at += width;
      continue;
    }
    parts.push(
      utf8.decode(bytes.subarray(start, at)),
      String.fromCharCode(FIRST_ESCAPE + (bytes[at] ?? 0) - 0x80),
    );
    start = ++at;
  }
  parts.push(utf8.decode(bytes.subarray(start)));
  return parts.join('');
}

/** Bytes of the valid UTF-8 character at `at`; 0 if there is none. */
function runeWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const width = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates, and code points beyond U+10FFFF.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let i = 1; i < width; i++) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) return 0;
  }
  return width;
}

/** Joins strings. Bytes that only together are valid UTF-8 become characters. */
export function concat(...parts: readonly string[]): string {
  return normalize(parts.join(''));
}

/** Brings a string that was put together from parts into its normal form. */
export const normalize = (text: string): string => (text.isWellFormed() ? text : fromBytes(toBytes(text)));

/** `text[from:to]` of Go, in bytes; the caller checks the range. Default of `to`: the end. */
export function sliceBytes(text: string, from: number, to?: number): string {
  // In ASCII a byte is a character.
  if (byteLength(text) === text.length && text.isWellFormed()) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

/** Whether the code unit at `at` stands for a byte that is not UTF-8. */
export function isEscapedByte(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= FIRST_ESCAPE && code <= LAST_ESCAPE && !(at > 0 && isHighSurrogate(text.charCodeAt(at - 1)));
}

/** Compares by bytes, as Go does; JavaScript compares UTF-16 units, in which U+10000 is before U+FFFF. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const a = one.charCodeAt(at);
    const b = other.charCodeAt(at);
    if (a === b) continue;
    if (a < 0xd800 && b < 0xd800) return a - b;
    return Buffer.compare(toBytes(one.slice(at && at - 1)), toBytes(other.slice(at && at - 1)));
  }
  return one.length - other.length;
}

/**
 * Sorts in place by `compareText`. UTF-16 has another order than UTF-8 for texts with surrogates only; without them the native
 * comparison is several times as fast.
 */
export const sortTexts = (texts: string[]): string[] =>
  texts.some((text) => /[\ud800-\udfff]/.test(text)) ? texts.sort(compareText) : texts.sort();

/** The characters of a string, as `range` and `[]rune(s)` see them: U+FFFD for each byte that is not UTF-8. */
export function* runes(text: string): Generator<number> {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    yield code >= FIRST_ESCAPE && code <= LAST_ESCAPE ? 0xfffd : code;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
