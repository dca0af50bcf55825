import { Cursor, isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWord, type Mark } from './cursor.ts';
import type { MarkType, Token } from './nodes.ts';
import { isDocumentMark, scanBlock, scanPlain, scanQuoted } from './scan-scalars.ts';

/** A place that turns out to be a key once a `:` follows. */
interface PossibleKey {
  /** Number of the token that is the key. */
  readonly token: number;
  readonly mark: Mark;
  /** In a block mapping a key must come here. */
  readonly isRequired: boolean;
}

/** Characters between the start of a key and its `:`, at most. */
const MAX_KEY_LENGTH = 1024;

/** Cuts a text into tokens, on demand. */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  /** Tokens that were taken. */
  #taken = 0;
  /** Column of the innermost block; -1 outside. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** One of each level of flow collections. */
  readonly #keys: (PossibleKey | undefined)[] = [undefined];
  #mayStartKey = true;
  #hasEnded = false;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  /** The next token, which stays. */
  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens[0] ?? { type: 'streamEnd', line: this.#cursor.line };
  }

  take(): Token {
    const token = this.peek();
    if (this.#tokens.shift()) this.#taken++;
    return token;
  }

  get #isFlow(): boolean {
    return this.#keys.length > 1;
  }

  #needsMore(): boolean {
    if (this.#hasEnded) return false;
    if (this.#tokens.length === 0) return true;
    // A key token may have to be inserted before the first one.
    return this.#keys.some((key, level) => key?.token === this.#taken && this.#isValid(key, level));
  }

  #isValid(key: PossibleKey, level: number): boolean {
    const { line, index } = this.#cursor;
    if (key.mark.line >= line && key.mark.index + MAX_KEY_LENGTH >= index) return true;
    if (key.isRequired) this.#cursor.failIn(key.mark, "could not find expected ':'");
    this.#keys[level] = undefined;
    return false;
  }

  #push(type: MarkType, line = this.#cursor.line): void {
    this.#tokens.push({ type, line });
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    const code = cursor.peek();
    if (Number.isNaN(code)) this.#end();
    else if (cursor.column === 0 && code === 0x25) this.#fetchDirective();
    else if (isDocumentMark(cursor)) this.#fetchDocumentMark(code === 0x2d ? 'documentStart' : 'documentEnd');
    else this.#fetchIndicator(String.fromCharCode(code), cursor.peek(1));
  }

  #fetchIndicator(char: string, next: number): void {
    const isSeparate = this.#isFlow || isBlankOrEnd(next);
    if (char === '[') this.#startFlow('flowSequenceStart');
    else if (char === '{') this.#startFlow('flowMappingStart');
    else if (char === ']') this.#endFlow('flowSequenceEnd');
    else if (char === '}') this.#endFlow('flowMappingEnd');
    else if (char === ',') this.#fetchFlowEntry();
    else if (char === '-' && isBlankOrEnd(next)) this.#fetchBlockEntry();
    else if (char === '?' && isSeparate) this.#fetchKey();
    else if (char === ':' && isSeparate) this.#fetchValue();
    else if (char === '*') this.#fetchNode(() => scanAnchor(this.#cursor, 'alias'));
    else if (char === '&') this.#fetchNode(() => scanAnchor(this.#cursor, 'anchor'));
    else if (char === '!') this.#fetchNode(() => scanTag(this.#cursor));
    else if ((char === '|' || char === '>') && !this.#isFlow) this.#fetchBlock(char === '|');
    else if (char === "'" || char === '"') this.#fetchQuoted(char);
    else this.#fetchPlain(char, next);
  }

  #fetchQuoted(quote: "'" | '"'): void {
    const { line } = this.#cursor;
    this.#fetchNode(() => ({ type: 'scalar', line, value: scanQuoted(this.#cursor, quote), isPlain: false }));
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.peek() === 0xfeff) cursor.skip();
      // A tab is no indentation.
      while (cursor.peek() === 0x20 || (cursor.peek() === 0x09 && (this.#isFlow || !this.#mayStartKey))) {
        cursor.skip();
      }
      if (cursor.peek() === 0x23) while (!isBreakOrEnd(cursor.peek())) cursor.skip();
      if (cursor.readBreak() === '') return;
      if (!this.#isFlow) this.#mayStartKey = true;
    }
  }

  #end(): void {
    this.#cursor.endLine();
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#push('streamEnd');
    this.#hasEnded = true;
  }

  #fetchDirective(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#tokens.push(scanDirective(this.#cursor));
  }

  #fetchDocumentMark(type: 'documentStart' | 'documentEnd'): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#push(type);
    this.#cursor.skip(3);
  }

  #startFlow(type: 'flowSequenceStart' | 'flowMappingStart'): void {
    this.#saveKey();
    this.#keys.push(undefined);
    this.#mayStartKey = true;
    this.#push(type);
    this.#cursor.skip();
  }

  #endFlow(type: 'flowSequenceEnd' | 'flowMappingEnd'): void {
    this.#dropKey();
    if (this.#isFlow) this.#keys.pop();
    this.#mayStartKey = false;
    this.#push(type);
    this.#cursor.skip();
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#mayStartKey = true;
    this.#push('flowEntry');
    this.#cursor.skip();
  }

  #fetchBlockEntry(): void {
    if (!this.#isFlow) {
      if (!this.#mayStartKey) this.#cursor.fail('block sequence entries are not allowed in this context');
      this.#roll(this.#cursor.mark, 'blockSequenceStart');
    }
    this.#dropKey();
    this.#mayStartKey = true;
    this.#push('blockEntry');
    this.#cursor.skip();
  }

  #fetchKey(): void {
    if (!this.#isFlow) {
      if (!this.#mayStartKey) this.#cursor.fail('mapping keys are not allowed in this context');
      this.#roll(this.#cursor.mark, 'blockMappingStart');
    }
    this.#dropKey();
    this.#mayStartKey = !this.#isFlow;
    this.#push('key');
    this.#cursor.skip();
  }

  #fetchValue(): void {
    const level = this.#keys.length - 1;
    const key = this.#keys[level];
    if (key && this.#isValid(key, level)) {
      const at = key.token - this.#taken;
      this.#tokens.splice(at, 0, { type: 'key', line: key.mark.line });
      this.#roll(key.mark, 'blockMappingStart', at);
      this.#keys[level] = undefined;
      this.#mayStartKey = false;
    } else {
      if (!this.#isFlow) {
        if (!this.#mayStartKey) this.#cursor.fail('mapping values are not allowed in this context');
        this.#roll(this.#cursor.mark, 'blockMappingStart');
      }
      this.#mayStartKey = !this.#isFlow;
    }
    this.#push('value');
    this.#cursor.skip();
  }

  /** Something that may be a key, behind which none may start. */
  #fetchNode(scan: () => Token): void {
    this.#saveKey();
    this.#mayStartKey = false;
    this.#tokens.push(scan());
  }

  #fetchBlock(isLiteral: boolean): void {
    this.#dropKey();
    this.#mayStartKey = true;
    const { line } = this.#cursor;
    const value = scanBlock(this.#cursor, this.#indent, isLiteral);
    this.#tokens.push({ type: 'scalar', line, value, isPlain: false });
  }

  #fetchPlain(char: string, next: number): void {
    const isIndicator = '-?:,[]{}#&*!|>\'"%@`'.includes(char) || isBlank(char.charCodeAt(0));
    const isPlain =
      !isIndicator ||
      (char === '-' && !isBlank(next)) ||
      (!this.#isFlow && (char === '?' || char === ':') && !isBlankOrEnd(next));
    if (!isPlain) this.#cursor.fail('found character that cannot start any token');
    this.#fetchNode(() => {
      const { line } = this.#cursor;
      const { value, endsLine } = scanPlain(this.#cursor, this.#indent, this.#isFlow);
      if (endsLine) this.#mayStartKey = true;
      return { type: 'scalar', line, value, isPlain: true };
    });
  }

  #saveKey(): void {
    if (!this.#mayStartKey) return;
    const { mark } = this.#cursor;
    this.#dropKey();
    this.#keys[this.#keys.length - 1] = {
      token: this.#taken + this.#tokens.length,
      mark,
      isRequired: !this.#isFlow && this.#indent === mark.column,
    };
  }

  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key?.isRequired) this.#cursor.failIn(key.mark, "could not find expected ':'");
    this.#keys[this.#keys.length - 1] = undefined;
  }

  /** Starts a block if the column is deeper. @param at index of its token among those that were not taken; default: last */
  #roll({ column, line }: Mark, type: MarkType, at = this.#tokens.length): void {
    if (this.#isFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#tokens.splice(at, 0, { type, line });
  }

  /** Ends the blocks that are deeper than the column. */
  #unroll(column: number): void {
    if (this.#isFlow) return;
    while (this.#indent > column) {
      this.#push('blockEnd');
      this.#indent = this.#indents.pop() ?? -1;
    }
  }
}

/** Anchors, tags, and directives. */

const scanWord = (cursor: Cursor): string => {
  const start = cursor.index;
  while (isWord(cursor.peek())) cursor.skip();
  return cursor.text.slice(start, cursor.index);
};

const skipBlanks = (cursor: Cursor): void => {
  while (isBlank(cursor.peek())) cursor.skip();
};

function scanAnchor(cursor: Cursor, type: 'anchor' | 'alias'): Token {
  const start = cursor.mark;
  cursor.skip();
  const value = scanWord(cursor);
  const next = cursor.peek();
  if (value === '' || !(isBlankOrEnd(next) || '?:,]}%@`'.includes(String.fromCharCode(next)))) {
    cursor.failIn(start, 'did not find expected alphabetic or numeric character');
  }
  return { type, line: start.line, value };
}

function scanTag(cursor: Cursor): Token {
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

function scanDirective(cursor: Cursor): Token {
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
