/** The scalars: quoted, plain, and as a block. Each function starts at the first character and ends behind the last one. */

import { type Cursor, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit } from './cursor.ts';

/** `---` or `...` at the start of a line. */
export function isDocumentMark(cursor: Cursor): boolean {
  const code = cursor.peek();
  if (cursor.column !== 0 || (code !== 0x2d && code !== 0x2e)) return false;
  return cursor.peek(1) === code && cursor.peek(2) === code && isBlankOrEnd(cursor.peek(3));
}

/** White space between words, of which line breaks are folded. */
class Gap {
  blanks = '';
  firstBreak = '';
  otherBreaks = '';
  hasBreak = false;

  /** Reads blanks and breaks. @param onTab called for tabs at the start of a line */
  read(cursor: Cursor, onTab?: () => void): void {
    for (let code = cursor.peek(); isBlank(code) || isBreak(code); code = cursor.peek()) {
      if (isBreak(code)) {
        if (this.hasBreak) this.otherBreaks += cursor.readBreak();
        else {
          this.blanks = '';
          this.firstBreak = cursor.readBreak();
          this.hasBreak = true;
        }
      } else if (this.hasBreak) {
        if (code === 0x09) onTab?.();
        cursor.skip();
      } else this.blanks += cursor.read();
    }
  }

  /** What stands for it in the value. */
  get text(): string {
    if (!this.hasBreak) return this.blanks;
    if (this.firstBreak === '\n') return this.otherBreaks === '' ? ' ' : this.otherBreaks;
    return this.firstBreak + this.otherBreaks;
  }
}

/** @param indent of the block around it, in columns; -1 at the top @returns the value, and whether a line break follows it */
export function scanPlain(
  cursor: Cursor,
  indent: number,
  isFlow: boolean,
): { readonly value: string; readonly endsLine: boolean } {
  let value = '';
  let gap = new Gap();
  for (;;) {
    if (isDocumentMark(cursor) || cursor.peek() === 0x23) break;
    const start = cursor.index;
    while (!isBlankOrEnd(cursor.peek()) && !endsPlain(cursor, isFlow)) cursor.skip();
    if (cursor.index > start) {
      value += gap.text + cursor.text.slice(start, cursor.index);
      gap = new Gap();
    }
    const code = cursor.peek();
    if (!isBlank(code) && !isBreak(code)) break;
    gap.read(cursor, () => {
      if (cursor.column < indent + 1) cursor.fail('found a tab character that violates indentation');
    });
    if (!isFlow && cursor.column < indent + 1) break;
  }
  return { value, endsLine: gap.hasBreak };
}

function endsPlain(cursor: Cursor, isFlow: boolean): boolean {
  const code = cursor.peek();
  if (code === 0x3a) return isBlankOrEnd(cursor.peek(1));
  return isFlow && ',?[]{}'.includes(String.fromCharCode(code));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const ESCAPE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

export function scanQuoted(cursor: Cursor, quote: '"' | "'"): string {
  const start = cursor.mark;
  const quoteCode = quote.charCodeAt(0);
  cursor.skip();
  let value = '';
  for (;;) {
    if (isDocumentMark(cursor)) cursor.failIn(start, 'found unexpected document indicator');
    if (Number.isNaN(cursor.peek())) cursor.failIn(start, 'found unexpected end of stream');
    const gap = new Gap();
    while (!isBlankOrEnd(cursor.peek()) && !gap.hasBreak) {
      const code = cursor.peek();
      if (code === quoteCode) {
        if (quote === '"' || cursor.peek(1) !== quoteCode) break;
        cursor.skip(2);
        value += quote;
      } else if (quote === '"' && code === 0x5c) {
        if (isBreak(cursor.peek(1))) {
          cursor.skip();
          cursor.readBreak();
          gap.hasBreak = true;
        } else value += scanEscape(cursor);
      } else value += cursor.read();
    }
    if (cursor.peek() === quoteCode) break;
    gap.read(cursor);
    value += gap.text;
  }
  cursor.skip();
  return value;
}

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.index + 1);
  const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  const digits = Object.hasOwn(ESCAPE_DIGITS, letter) ? (ESCAPE_DIGITS[letter] ?? 0) : 0;
  if (plain === undefined && digits === 0) cursor.fail('found unknown escape character');
  cursor.skip(2);
  if (plain !== undefined) return plain;
  const hex = cursor.text.slice(cursor.index, cursor.index + digits);
  if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex))
    cursor.fail('did not find expected hexdecimal number');
  const code = Number.parseInt(hex, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    cursor.fail('found invalid Unicode character escape code');
  }
  cursor.skip(digits);
  return String.fromCodePoint(code);
}

/** @param outer indentation of the block around it, -1 at the top */
export function scanBlock(cursor: Cursor, outer: number, isLiteral: boolean): string {
  const start = cursor.mark;
  cursor.skip();
  const { chomping, increment } = scanBlockHeader(cursor, start);
  let indent = increment > 0 ? Math.max(outer, 0) + increment : 0;
  let value = '';
  let pending = '';
  let startedBlank = false;
  const lead = scanBreaks(cursor, outer, indent);
  indent = lead.indent;
  let breaks = lead.breaks;
  while (cursor.column === indent && !Number.isNaN(cursor.peek())) {
    const isBlankLine = isBlank(cursor.peek());
    const folds = !isLiteral && !startedBlank && !isBlankLine && pending === '\n';
    value += folds ? (breaks === '' ? ' ' : '') : pending;
    value += breaks;
    startedBlank = isBlankLine;
    const from = cursor.index;
    while (!isBreakOrEnd(cursor.peek())) cursor.skip();
    value += cursor.text.slice(from, cursor.index);
    pending = cursor.readBreak();
    breaks = scanBreaks(cursor, outer, indent).breaks;
  }
  if (chomping !== '-') value += pending;
  if (chomping === '+') value += breaks;
  return value;
}

function scanBlockHeader(
  cursor: Cursor,
  start: Cursor['mark'],
): { readonly chomping: string; readonly increment: number } {
  let chomping = '';
  let increment = 0;
  const scanChomping = () => {
    if (cursor.peek() !== 0x2b && cursor.peek() !== 0x2d) return;
    chomping = cursor.read();
  };
  const scanIncrement = () => {
    if (!isDigit(cursor.peek())) return;
    if (cursor.peek() === 0x30) cursor.failIn(start, 'found an indentation indicator equal to 0');
    increment = Number(cursor.read());
  };
  scanChomping();
  scanIncrement();
  if (chomping === '') scanChomping();
  while (isBlank(cursor.peek())) cursor.skip();
  if (cursor.peek() === 0x23) while (!isBreakOrEnd(cursor.peek())) cursor.skip();
  if (!isBreakOrEnd(cursor.peek())) cursor.failIn(start, 'did not find expected comment or line break');
  cursor.readBreak();
  return { chomping, increment };
}

/** Skips indentation and empty lines. @param indent 0: it is found here */
function scanBreaks(
  cursor: Cursor,
  outer: number,
  indent: number,
): { readonly indent: number; readonly breaks: string } {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.peek() === 0x20) cursor.skip();
    widest = Math.max(widest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.peek() === 0x09) {
      cursor.fail('found a tab character where an indentation space is expected');
    }
    if (!isBreak(cursor.peek())) break;
    breaks += cursor.readBreak();
  }
  return { indent: indent === 0 ? Math.max(widest, outer + 1, 1) : indent, breaks };
}
