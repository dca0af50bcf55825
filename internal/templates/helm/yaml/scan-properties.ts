/** Anchors, tags, and directives. */

import { type Cursor, isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWord, type Mark } from './cursor.ts';
import type { Token } from './nodes.ts';

const scanWord = (cursor: Cursor): string => {
  const start = cursor.index;
  while (isWord(cursor.peek())) cursor.skip();
  return cursor.text.slice(start, cursor.index);
};

const skipBlanks = (cursor: Cursor): void => {
  while (isBlank(cursor.peek())) cursor.skip();
};

export function scanAnchor(cursor: Cursor, type: 'anchor' | 'alias'): Token {
  const start = cursor.mark;
  cursor.skip();
  const value = scanWord(cursor);
  const next = cursor.peek();
  if (value === '' || !(isBlankOrEnd(next) || '?:,]}%@`'.includes(String.fromCharCode(next)))) {
    cursor.failIn(start, 'did not find expected alphabetic or numeric character');
  }
  return { type, line: start.line, value };
}

export function scanTag(cursor: Cursor): Token {
  const start = cursor.mark;
  let handle = '';
  let suffix: string;
  if (cursor.peek(1) === 0x3c) {
    cursor.skip(2);
    suffix = scanUri(cursor, '', start);
    if (cursor.peek() !== 0x3e) cursor.failIn(start, "did not find the expected '>'");
    cursor.skip();
  } else {
    handle = scanHandle(cursor, start, false);
    if (handle.length > 1 && handle.endsWith('!')) suffix = scanUri(cursor, '', start);
    else {
      suffix = scanUri(cursor, handle, start);
      handle = '!';
      if (suffix === '') [handle, suffix] = ['', '!'];
    }
  }
  if (!isBlankOrEnd(cursor.peek())) cursor.failIn(start, 'did not find expected whitespace or line break');
  return { type: 'tag', line: start.line, handle, suffix };
}

function scanHandle(cursor: Cursor, start: Mark, isDirective: boolean): string {
  if (cursor.peek() !== 0x21) cursor.failIn(start, "did not find expected '!'");
  cursor.skip();
  const handle = `!${scanWord(cursor)}`;
  if (cursor.peek() === 0x21) {
    cursor.skip();
    return `${handle}!`;
  }
  if (isDirective && handle !== '!') cursor.failIn(start, "did not find expected '!'");
  return handle;
}

const URI_CHARACTER = /[\w\-;/?:@&=+$,.!~*'()[\]%]/;

/** @param head what was read of it already, with its `!` */
function scanUri(cursor: Cursor, head: string, start: Mark): string {
  let uri = head.slice(1);
  let hasTag = head !== '';
  while (URI_CHARACTER.test(cursor.text.charAt(cursor.index))) {
    hasTag = true;
    uri += cursor.peek() === 0x25 ? scanUriEscapes(cursor, start) : cursor.read();
  }
  if (!hasTag) cursor.failIn(start, 'did not find expected tag URI');
  return uri;
}

/** One character, written as `%` and two digits for each of its bytes. */
function scanUriEscapes(cursor: Cursor, start: Mark): string {
  const match = /^(?:%[0-9a-fA-F]{2})+/.exec(cursor.text.slice(cursor.index, cursor.index + 12));
  if (!match) return cursor.failIn(start, 'did not find URI escaped octet');
  const first = Number.parseInt(match[0].slice(1, 3), 16);
  const width = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  if (width === 0 || first >= 0xf8) cursor.failIn(start, 'found an incorrect leading UTF-8 octet');
  const escaped = match[0].slice(0, width * 3);
  if (escaped.length < width * 3) cursor.failIn(start, 'did not find URI escaped octet');
  cursor.skip(escaped.length);
  try {
    return decodeURIComponent(escaped);
  } catch {
    return cursor.failIn(start, 'found an incorrect trailing UTF-8 octet');
  }
}

export function scanDirective(cursor: Cursor): Token {
  const start = cursor.mark;
  cursor.skip();
  const name = scanWord(cursor);
  if (name === '') cursor.failIn(start, 'could not find expected directive name');
  if (!isBlankOrEnd(cursor.peek())) cursor.failIn(start, 'found unexpected non-alphabetical character');
  let token: Token;
  if (name === 'YAML')
    token = { type: 'versionDirective', line: start.line, version: scanVersion(cursor, start) };
  else if (name === 'TAG')
    token = { type: 'tagDirective', line: start.line, ...scanTagDirective(cursor, start) };
  else return cursor.failIn(start, 'found unknown directive name');
  skipBlanks(cursor);
  if (cursor.peek() === 0x23) while (!isBreakOrEnd(cursor.peek())) cursor.skip();
  if (!isBreakOrEnd(cursor.peek())) cursor.failIn(start, 'did not find expected comment or line break');
  cursor.readBreak();
  return token;
}

function scanVersion(cursor: Cursor, start: Mark): string {
  skipBlanks(cursor);
  const major = scanVersionNumber(cursor, start);
  if (cursor.peek() !== 0x2e) cursor.failIn(start, "did not find expected digit or '.' character");
  cursor.skip();
  return `${major}.${scanVersionNumber(cursor, start)}`;
}

function scanVersionNumber(cursor: Cursor, start: Mark): number {
  const from = cursor.index;
  while (isDigit(cursor.peek())) {
    if (cursor.index - from === 2) cursor.failIn(start, 'found extremely long version number');
    cursor.skip();
  }
  if (cursor.index === from) cursor.failIn(start, 'did not find expected version number');
  return Number(cursor.text.slice(from, cursor.index));
}

function scanTagDirective(cursor: Cursor, start: Mark): { readonly handle: string; readonly prefix: string } {
  skipBlanks(cursor);
  const handle = scanHandle(cursor, start, true);
  if (!isBlank(cursor.peek())) cursor.failIn(start, 'did not find expected whitespace');
  skipBlanks(cursor);
  const prefix = scanUri(cursor, '', start);
  if (!isBlankOrEnd(cursor.peek())) cursor.failIn(start, 'did not find expected whitespace or line break');
  return { handle, prefix };
}
