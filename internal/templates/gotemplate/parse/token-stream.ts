import { type MissingName, TemplateParseError } from '../errors/template-error.ts';
import { quote } from '../format/quote.ts';
import { byteLength } from '../values/text.ts';
import { Lexer } from './lexer.ts';
import { isKeyword, type Token, type TokenType } from './tokens.ts';

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
