import { type MissingName, TemplateParseError } from '../errors.ts';
import { formatUnicode, noFlags } from '../format/basic.ts';
import { quote } from '../format/quote.ts';
import { byteLength } from '../values/text.ts';
import { isKeyword, KEYWORDS, type Token, type TokenType } from './tokens.ts';

/** The tokens of a template with look-ahead, and its errors. */
export class TokenStream {
  readonly #name: string;
  readonly #source: string;
  readonly #lexer: Lexer;
  /** Tokens that were put back, the next one last. */
  readonly #pending: Token[] = [];
  /** The last token that was read from the text, whose line errors name. */
  #latest: Token = { type: 'text', text: '', position: 0 };

  constructor(name: string, source: string) {
    this.#name = name;
    this.#source = source;
    this.#lexer = new Lexer(source);
  }

  next(): Token {
    const pending = this.#pending.pop();
    if (pending) return pending;
    this.#latest = this.#lexer.next();
    return this.#latest;
  }

  /** Puts tokens back; the first of them is the next. */
  putBack(...tokens: readonly Token[]): void {
    this.#pending.push(...tokens.toReversed());
  }

  peek(): Token {
    const token = this.next();
    this.putBack(token);
    return token;
  }

  nextNonSpace(): Token {
    let token = this.next();
    while (token.type === 'space') token = this.next();
    return token;
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.putBack(token);
    return token;
  }

  /** The line of a token, from 1. */
  lineOf(token: Token): number {
    let line = 1;
    for (let at = this.#source.indexOf('\n'); at >= 0 && at < token.position; ) {
      line++;
      at = this.#source.indexOf('\n', at + 1);
    }
    return line;
  }

  /** An error at the line that was read last. */
  fail(detail: string, missing?: MissingName): never {
    throw new TemplateParseError(this.#name, this.lineOf(this.#latest), detail, missing);
  }

  /** @param actionStart the first token of the action that the token is in */
  failUnexpected(token: Token, context: string, actionStart?: Token): never {
    if (token.type !== 'error') this.fail(`unexpected ${describe(token)} in ${context}`);
    let extra = '';
    const line = actionStart && this.lineOf(actionStart);
    if (line !== undefined && line !== this.lineOf(token)) {
      const what = token.text.endsWith(' action') ? '' : ' in action';
      extra = `${what} started at ${this.#name}:${line}`;
    }
    this.fail(token.text + extra);
  }

  expect(types: readonly TokenType[], context: string, actionStart?: Token): Token {
    const token = this.nextNonSpace();
    if (!types.includes(token.type)) this.failUnexpected(token, context, actionStart);
    return token;
  }
}

function describe(token: Token): string {
  if (token.type === 'eof') return 'EOF';
  if (isKeyword(token)) return `<${token.text}>`;
  if (byteLength(token.text) <= 10) return quote(token.text);
  return `${quote(Array.from(token.text.slice(0, 20)).slice(0, 10).join(''))}...`;
}

const LEFT = '{{';
const RIGHT = '}}';

/** Reads the tokens of a template, one at a time. After an error token there are none. */
class Lexer {
  readonly #input: string;
  #at = 0;
  /** Start of the current token. */
  #start = 0;
  #isInsideAction = false;
  #parentheses = 0;

  constructor(input: string) {
    this.#input = input;
  }

  next(): Token {
    return this.#isInsideAction ? this.#insideAction() : this.#text();
  }

  #token(type: TokenType): Token {
    const token = { type, text: this.#input.slice(this.#start, this.#at), position: this.#start };
    this.#start = this.#at;
    return token;
  }

  #error(message: string): Token {
    return { type: 'error', text: message, position: this.#start };
  }

  #skipTo(position: number): void {
    this.#at = position;
    this.#start = position;
  }

  /** Text up to the next action, or the delimiter that starts one. Comments are skipped. */
  #text(): Token {
    for (;;) {
      const delimiter = this.#input.indexOf(LEFT, this.#at);
      if (delimiter < 0) {
        this.#at = this.#input.length;
        return this.#token(this.#at > this.#start ? 'text' : 'eof');
      }
      const hasTrim = this.#hasLeftTrim(delimiter + LEFT.length);
      this.#at = hasTrim ? this.#trimmedEnd(delimiter) : delimiter;
      if (this.#at > this.#start) {
        const text = this.#token('text');
        this.#skipTo(delimiter);
        return text;
      }
      const inside = delimiter + LEFT.length + (hasTrim ? 2 : 0);
      if (!this.#input.startsWith('/*', inside)) {
        this.#skipTo(delimiter);
        this.#at = delimiter + LEFT.length;
        const token = this.#token('leftDelim');
        this.#skipTo(inside);
        this.#isInsideAction = true;
        this.#parentheses = 0;
        return token;
      }
      this.#skipTo(inside);
      const error = this.#skipComment();
      if (error) return error;
    }
  }

  /** The start of the white space before `end`. */
  #trimmedEnd(end: number): number {
    let at = end;
    while (at > this.#start && isSpace(this.#input[at - 1])) at--;
    return at;
  }

  #hasLeftTrim(at: number): boolean {
    return this.#input[at] === '-' && isSpace(this.#input[at + 1]);
  }

  #skipComment(): Token | undefined {
    const end = this.#input.indexOf('*/', this.#at + 2);
    if (end < 0) return this.#error('unclosed comment');
    this.#at = end + 2;
    const length = this.#rightDelimLength();
    if (length === 0) return this.#error('comment ends before closing delimiter');
    this.#skipRightDelim(length);
    return undefined;
  }

  /** Length of the right delimiter at this place, with its trim marker; 0 if there is none. */
  #rightDelimLength(): number {
    if (this.#input.startsWith(RIGHT, this.#at)) return RIGHT.length;
    const hasTrim = isSpace(this.#input[this.#at]) && this.#input.startsWith(`-${RIGHT}`, this.#at + 1);
    return hasTrim ? RIGHT.length + 2 : 0;
  }

  #skipRightDelim(length: number): void {
    let end = this.#at + length;
    if (length > RIGHT.length) while (isSpace(this.#input[end])) end++;
    this.#skipTo(end);
  }

  #rightDelim(length: number): Token {
    if (length > RIGHT.length) this.#skipTo(this.#at + 2);
    this.#at += RIGHT.length;
    const token = this.#token('rightDelim');
    if (length > RIGHT.length) {
      let end = this.#at;
      while (isSpace(this.#input[end])) end++;
      this.#skipTo(end);
    }
    this.#isInsideAction = false;
    return token;
  }

  #insideAction(): Token {
    const delimiter = this.#rightDelimLength();
    if (delimiter > 0)
      return this.#parentheses === 0 ? this.#rightDelim(delimiter) : this.#error('unclosed left paren');
    const char = this.#peek();
    if (char === '') return this.#error('unclosed action');
    if (isSpace(char)) return this.#space();
    this.#at += char.length;
    switch (char) {
      case '=':
        return this.#token('assign');
      case ':':
        if (this.#input[this.#at++] !== '=') return this.#error('expected :=');
        return this.#token('declare');
      case '|':
        return this.#token('pipe');
      case '"':
        return this.#quoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.#quoted("'", 'charConstant', 'unterminated character constant');
      case '`':
        return this.#rawString();
      case '$':
        return this.#fieldOrVariable('variable');
      case '(':
        this.#parentheses++;
        return this.#token('leftParen');
      case ')':
        if (--this.#parentheses < 0) return this.#error('unexpected right paren');
        return this.#token('rightParen');
    }
    if (char === '.' && this.#at < this.#input.length && !isDigit(this.#input[this.#at])) {
      return this.#fieldOrVariable('field');
    }
    if (char === '.' || char === '+' || char === '-' || isDigit(char)) {
      this.#at = this.#start;
      return this.#number();
    }
    if (isAlphaNumeric(char)) return this.#identifier();
    if (char > ' ' && char < '\x7f') return this.#token('char');
    return this.#error(`unrecognized character in action: ${describeCharacter(char)}`);
  }

  /** The next character; empty at the end. */
  #peek(): string {
    const code = this.#input.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #space(): Token {
    while (isSpace(this.#input[this.#at])) this.#at++;
    // The last space may belong to a trim marker.
    if (this.#input.startsWith(`-${RIGHT}`, this.#at)) {
      this.#at--;
      if (this.#at === this.#start) return this.#rightDelim(RIGHT.length + 2);
    }
    return this.#token('space');
  }

  #identifier(): Token {
    this.#skipAlphaNumeric();
    const word = this.#input.slice(this.#start, this.#at);
    if (!this.#isAtTerminator()) return this.#error(`bad character ${describeCharacter(this.#peek())}`);
    if (KEYWORDS.has(word) || word === 'nil') return this.#token(word as TokenType);
    return this.#token(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  #fieldOrVariable(type: 'field' | 'variable'): Token {
    if (this.#isAtTerminator()) return this.#token(type === 'variable' ? type : 'dot');
    this.#skipAlphaNumeric();
    if (!this.#isAtTerminator()) return this.#error(`bad character ${describeCharacter(this.#peek())}`);
    return this.#token(type);
  }

  #skipAlphaNumeric(): void {
    for (let char = this.#peek(); isAlphaNumeric(char); char = this.#peek()) this.#at += char.length;
  }

  /** Whether a name may end here. */
  #isAtTerminator(): boolean {
    const char = this.#input[this.#at];
    if (char === undefined || isSpace(char) || '.,|:)('.includes(char)) return true;
    return this.#input.startsWith(RIGHT, this.#at);
  }

  #quoted(mark: string, type: TokenType, message: string): Token {
    for (;;) {
      let char = this.#input[this.#at++];
      if (char === mark) return this.#token(type);
      if (char === '\\') {
        char = this.#input[this.#at++];
        if (char !== undefined && char !== '\n') continue;
      }
      if (char === undefined || char === '\n') return this.#error(message);
    }
  }

  #rawString(): Token {
    const end = this.#input.indexOf('`', this.#at);
    if (end < 0) return this.#error('unterminated raw quoted string');
    this.#at = end + 1;
    return this.#token('rawString');
  }

  #number(): Token {
    const scan = scanNumber(this.#input, this.#start);
    this.#at = scan.end;
    if (scan.type) return this.#token(scan.type);
    return this.#error(`bad number syntax: ${quote(this.#input.slice(this.#start, this.#at))}`);
  }
}

const isSpace = (char: string | undefined): boolean =>
  char === ' ' || char === '\t' || char === '\r' || char === '\n';

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

const describeCharacter = (char: string): string =>
  formatUnicode(BigInt(char.codePointAt(0) ?? 0), { ...noFlags(), sharp: true });

/** A number in an action: where it ends, and what it is; no type if its syntax is wrong. */
interface NumberScan {
  readonly type: 'number' | 'complex' | undefined;
  readonly end: number;
}

/** Accepts more than numbers, as Go does; the parser checks the rest. */
function scanNumber(input: string, start: number): NumberScan {
  const first = scanPart(input, start);
  const sign = input[first.end];
  if (!first.isNumber || (sign !== '+' && sign !== '-')) {
    return { type: first.isNumber ? 'number' : undefined, end: first.end };
  }
  const second = scanPart(input, first.end);
  const isComplex = second.isNumber && input[second.end - 1] === 'i';
  return { type: isComplex ? 'complex' : undefined, end: second.end };
}

const DECIMAL = '0123456789_';
const PREFIXES: Readonly<Record<string, string>> = {
  x: '0123456789abcdefABCDEF_',
  o: '01234567_',
  b: '01_',
};

function scanPart(input: string, start: number): { isNumber: boolean; end: number } {
  let at = start;
  const accept = (valid: string): boolean => {
    const char = input[at];
    if (char === undefined || !valid.includes(char)) return false;
    at++;
    return true;
  };
  const acceptRun = (valid: string) => {
    while (accept(valid));
  };
  accept('+-');
  let base = '';
  if (accept('0')) base = ['x', 'o', 'b'].find((letter) => accept(letter + letter.toUpperCase())) ?? '';
  const digits = PREFIXES[base] ?? DECIMAL;
  acceptRun(digits);
  if (accept('.')) acceptRun(digits);
  const exponent = base === '' ? 'eE' : base === 'x' ? 'pP' : '';
  if (exponent && accept(exponent)) {
    accept('+-');
    acceptRun(DECIMAL);
  }
  accept('i');
  const next = input.codePointAt(at);
  const char = next === undefined ? '' : String.fromCodePoint(next);
  return isAlphaNumeric(char) ? { isNumber: false, end: at + char.length } : { isNumber: true, end: at };
}

/** Whether a character may be part of a name. */
const isAlphaNumeric = (char: string): boolean => char === '_' || /^[\p{L}\p{Nd}]$/u.test(char);
