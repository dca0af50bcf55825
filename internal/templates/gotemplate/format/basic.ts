/** How `printf` writes numbers, strings and bytes. */
import { type FloatVerb, formatFloat } from './float.ts';
import { canBackquote, isPrint, isRune, quote, quoteRune } from './quote.ts';

export type IntegerBase = 2 | 8 | 10 | 16;

/** @param verb `O` adds 0o; `X` has capital letters */
export function formatInteger(value: bigint, base: IntegerBase, verb: string, flags: Flags): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString(base);
  let precision = 0;
  if (flags.precision !== undefined) {
    precision = flags.precision;
    if (precision === 0 && value === 0n) return padWithSpaces('', flags);
  } else if (flags.zero && !flags.minus && flags.width !== undefined) {
    precision = flags.width;
    if (negative || flags.plus || flags.space) precision--;
  }
  let text = digits.padStart(precision, '0');
  if (flags.sharp) {
    if (base === 2) text = `0b${text}`;
    else if (base === 8 && !text.startsWith('0')) text = `0${text}`;
    else if (base === 16) text = `0x${text}`;
  }
  if (verb === 'O') text = `0o${text}`;
  if (verb === 'X') text = text.toUpperCase();
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  return padWithSpaces(sign + text, flags);
}

/** The code point of `%c` and `%q`: U+FFFD for a number that is none. */
const runeOf = (value: bigint): number => (value >= 0n && value <= 0x10ffffn ? Number(value) : 0xfffd);

export function formatCharacter(value: bigint, flags: Flags): string {
  const code = runeOf(value);
  return pad(String.fromCodePoint(isRune(code) ? code : 0xfffd), flags);
}

export const formatQuotedCharacter = (value: bigint, flags: Flags): string =>
  pad(quoteRune(runeOf(value), flags.plus), flags);

/** `U+0041`, with the sharp flag `U+0041 'A'`. */
export function formatUnicode(value: bigint, flags: Flags): string {
  const unsigned = BigInt.asUintN(64, value);
  const digits = unsigned
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, flags.precision ?? 0), '0');
  const code = Number(unsigned);
  const character = flags.sharp && isRune(code) && isPrint(code) ? ` '${String.fromCodePoint(code)}'` : '';
  return padWithSpaces(`U+${digits}${character}`, flags);
}

export function formatNumber(value: number, verb: FloatVerb, precision: number, flags: Flags): string {
  let text = formatFloat(value, verb, flags.precision ?? precision);
  if (!text.startsWith('-') && !text.startsWith('+')) text = `+${text}`;
  if (flags.space && text.startsWith('+') && !flags.plus) text = ` ${text.slice(1)}`;
  if (text[1] === 'I' || text[1] === 'N') {
    if (text[1] === 'N' && !flags.space && !flags.plus) text = text.slice(1);
    // Go keeps the sign of +Inf.
    return padWithSpaces(text, flags);
  }
  if (flags.sharp && verb !== 'b') text = withPoint(text, verb, flags.precision ?? precision);
  if (!flags.plus && text.startsWith('+')) return pad(text.slice(1), flags);
  const width = flags.width ?? 0;
  if (flags.zero && !flags.minus && width > text.length) {
    return text.charAt(0) + text.slice(1).padStart(width - 1, '0');
  }
  return pad(text, flags);
}

/** The sharp flag: a decimal point in any case, and for %g the zeros at the end. */
function withPoint(text: string, verb: FloatVerb, precision: number): string {
  const significant = verb === 'g' || verb === 'G' || verb === 'x';
  let missing = significant ? (precision < 0 ? 6 : precision) : 0;
  const isHex = verb === 'x' || verb === 'X';
  const tailStart = text.search(isHex ? /[pP]/ : /[eE]/);
  const tail = tailStart < 0 ? '' : text.slice(tailStart);
  let number = tailStart < 0 ? text : text.slice(0, tailStart);
  let hasPoint = false;
  let sawDigit = false;
  for (const char of number.slice(1)) {
    if (char === '.') hasPoint = true;
    else {
      if (char !== '0') sawDigit = true;
      if (sawDigit) missing--;
    }
  }
  if (!hasPoint) {
    if (number.length === 2 && number[1] === '0') missing--;
    number += '.';
  }
  return number + '0'.repeat(Math.max(missing, 0)) + tail;
}

/** Cut to the precision, in characters. */
function truncate(text: string, flags: Flags): string {
  if (flags.precision === undefined || text.length <= flags.precision) return text;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (count++ === flags.precision) return text.slice(0, at);
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) at++;
  }
  return text;
}

export const formatText = (text: string, flags: Flags): string => pad(truncate(text, flags), flags);

export function formatQuoted(text: string, flags: Flags): string {
  const cut = truncate(text, flags);
  if (flags.sharp && canBackquote(cut)) return pad(`\`${cut}\``, flags);
  return pad(quote(cut, flags.plus), flags);
}

/** Bytes in hexadecimal digits, for `%x` and `%X` of strings. */
export function formatHex(bytes: Uint8Array, verb: 'x' | 'X', flags: Flags): string {
  const shown = bytes.subarray(0, flags.precision ?? bytes.length);
  if (shown.length === 0) return pad('', flags);
  const prefix = flags.sharp ? '0x' : '';
  const hex = Buffer.from(shown.buffer, shown.byteOffset, shown.byteLength).toString('hex');
  const text = flags.space
    ? Array.from({ length: shown.length }, (_, i) => prefix + hex.slice(2 * i, 2 * i + 2)).join(' ')
    : prefix + hex;
  return pad(verb === 'X' ? text.toUpperCase() : text, flags);
}

/** What stands between `%` and the verb. */
export interface Flags {
  /** Undefined: none. */
  width: number | undefined;
  /** Undefined: none. */
  precision: number | undefined;
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v`, in which plus means something else. */
  plusV: boolean;
  /** `%#v`: Go syntax. */
  sharpV: boolean;
}

export const noFlags = (): Flags => ({
  width: undefined,
  precision: undefined,
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
});

/** Pads to the width, which counts characters: with zeros only on the left. */
export function pad(text: string, flags: Flags): string {
  const missing = (flags.width ?? 0) - countRunes(text);
  if (missing <= 0) return text;
  if (flags.minus) return text + ' '.repeat(missing);
  return (flags.zero ? '0' : ' ').repeat(missing) + text;
}

/** Pads with spaces, for texts that have their zeros already. */
const padWithSpaces = (text: string, flags: Flags): string =>
  pad(text, flags.zero ? { ...flags, zero: false } : flags);

function countRunes(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) at++;
    count++;
  }
  return count;
}
