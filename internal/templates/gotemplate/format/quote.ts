/** Quoted strings of Go, as strconv.Quote writes and strconv.Unquote reads them. */
import { fromBytes, isEscapedByte, normalize } from '../values/text.ts';

/** Letters, marks, numbers, punctuation, symbols and the space: what Go prints without an escape. */
export function isPrint(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  return PRINTED.test(String.fromCodePoint(code));
}

const PRINTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

/** @param ascii escapes all other characters; default false */
export function quote(text: string, ascii = false): string {
  const escaped = text.replace(NOT_PLAIN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    // A lone surrogate stands for a byte that is not UTF-8.
    return isEscapedByte(char, 0) ? `\\x${(code - 0xdc00).toString(16)}` : escapeRune(code, '"', ascii);
  });
  return `"${escaped}"`;
}

/** All but printable ASCII without the quote and the backslash. */
const NOT_PLAIN = /[^ !#-[\]-~]/gu;

/** A character in single quotes; U+FFFD if there is no such character. */
export function quoteRune(code: number, ascii = false): string {
  return `'${escapeRune(isRune(code) ? code : 0xfffd, "'", ascii)}'`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escapeRune(code: number, mark: string, ascii: boolean): string {
  const char = String.fromCodePoint(code);
  if (char === mark || char === '\\') return `\\${char}`;
  if (isPrint(code) && !(ascii && code >= 0x80)) return char;
  const known = ESCAPES[char];
  if (known) return known;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Whether `%#q` can write it in back quotes. */
export function canBackquote(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isEscapedByte(text, at) || code === 0xfeff || code === 0x60 || code === 0x7f) return false;
    if (code < 0x20 && code !== 0x09) return false;
  }
  return true;
}

/** The string that a literal in double or back quotes stands for; undefined if its syntax is wrong. */
export function unquote(literal: string): string | undefined {
  const inner = literal.slice(1, -1);
  if (literal.startsWith('`')) return inner.replaceAll('\r', '');
  if (!inner.includes('\\')) return inner;
  const parts: string[] = [];
  let start = 0;
  for (let at = inner.indexOf('\\'); at >= 0; at = inner.indexOf('\\', start)) {
    const escaped = readEscape(inner, at, '"');
    if (!escaped) return undefined;
    parts.push(inner.slice(start, at));
    parts.push(
      escaped.isByte && escaped.code >= 0x80
        ? fromBytes(Uint8Array.of(escaped.code))
        : String.fromCodePoint(escaped.code),
    );
    start = escaped.end;
  }
  parts.push(inner.slice(start));
  return normalize(parts.join(''));
}

/** The character that a literal in single quotes stands for; undefined if its syntax is wrong. */
export function unquoteRune(literal: string): { code: number; rest: string } | undefined {
  if (literal[1] === "'" || literal.length < 2) return undefined;
  if (literal[1] === '\\') {
    const escaped = readEscape(literal, 1, "'");
    return escaped && { code: escaped.code, rest: literal.slice(escaped.end) };
  }
  const code = literal.codePointAt(1) ?? 0;
  return { code, rest: literal.slice(code > 0xffff ? 3 : 2) };
}

interface Escape {
  readonly code: number;
  /** A byte rather than a character. */
  readonly isByte: boolean;
  readonly end: number;
}

const SIMPLE: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 0x5c };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readEscape(text: string, at: number, mark: string): Escape | undefined {
  const char = text[at + 1] ?? '';
  const simple = char === mark ? mark.charCodeAt(0) : SIMPLE[char];
  if (simple !== undefined) return { code: simple, isByte: false, end: at + 2 };
  const digits = HEX_DIGITS[char];
  if (digits) {
    const hex = text.slice(at + 2, at + 2 + digits);
    if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
    const code = Number.parseInt(hex, 16);
    if (char === 'x') return { code, isByte: true, end: at + 4 };
    return isRune(code) ? { code, isByte: false, end: at + 2 + digits } : undefined;
  }
  const octal = text.slice(at + 1, at + 4);
  if (!/^[0-7]{3}$/.test(octal)) return undefined;
  const code = Number.parseInt(octal, 8);
  return code > 255 ? undefined : { code, isByte: true, end: at + 4 };
}

/** Whether a number is a Unicode code point that is no surrogate. */
export const isRune = (code: number): boolean =>
  code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
