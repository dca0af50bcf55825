import { type Budget, ELEMENT_BYTES } from '../../budget.ts';
import { quote } from '../../format/quote.ts';
import { fromBytes, toBytes } from '../../values/text.ts';
import { dict, list, type Value } from '../../values/value.ts';
import { chargeText, Failure } from '../define.ts';

/** Parses JSON as encoding/json does, with its errors. @throws Failure */
export function decodeJson(text: string, budget: Budget): Value {
  chargeText(budget, text.length);
  const parser = new Parser(toBytes(text).toString('latin1'), budget);
  const value = parser.value('looking for beginning of value', 0);
  parser.skipSpace();
  if (!parser.isAtEnd) throw parser.unexpected('after top-level value');
  // Numbers out of range count only in JSON that is valid.
  if (parser.outOfRange !== undefined) {
    throw failure(`json: cannot unmarshal number ${parser.outOfRange} into Go value of type float64`);
  }
  return value;
}

const failure = (message: string): Failure => new Failure(`json decode error: ${message}`);

const LITERALS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Reads bytes, one a character. */
class Parser {
  private readonly text: string;
  private readonly budget: Budget;
  private at = 0;
  /** The first number that is no float64. */
  outOfRange: string | undefined;

  constructor(text: string, budget: Budget) {
    this.text = text;
    this.budget = budget;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** @param atEnd the character that Go takes the end for, within a token. Default: none, the end is the error. */
  unexpected(context: string, atEnd?: string): Failure {
    const char = this.text[this.at] ?? atEnd;
    if (char === undefined) return failure('unexpected end of JSON input');
    return failure(`invalid character ${quoteByte(char)} ${context}`);
  }

  skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  value(context: string, depth: number): Value {
    this.budget.step();
    this.budget.checkDepth(depth);
    this.skipSpace();
    const char = this.text[this.at];
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return this.string();
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.number();
    const literal = LITERALS.find(([word]) => word[0] === char);
    if (!literal) throw this.unexpected(context);
    return this.literal(...literal);
  }

  private literal(word: string, value: Value): Value {
    for (const char of word) {
      if (this.text[this.at] !== char) {
        throw this.unexpected(`in literal ${word} (expecting '${char}')`, ' ');
      }
      this.at++;
    }
    return value;
  }

  private array(depth: number): Value {
    const items: Value[] = [];
    this.at++;
    this.skipSpace();
    if (this.take(']')) return list(items);
    for (;;) {
      this.budget.charge(ELEMENT_BYTES);
      items.push(this.value('looking for beginning of value', depth + 1));
      this.skipSpace();
      if (this.take(']')) return list(items);
      if (!this.take(',')) throw this.unexpected('after array element');
    }
  }

  private object(depth: number): Value {
    const entries = new Map<string, Value>();
    this.at++;
    this.skipSpace();
    if (this.take('}')) return dict(entries);
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] !== '"') throw this.unexpected('looking for beginning of object key string');
      const key = this.string();
      this.skipSpace();
      if (!this.take(':')) throw this.unexpected('after object key');
      this.budget.charge(2 * ELEMENT_BYTES);
      entries.set(key, this.value('looking for beginning of value', depth + 1));
      this.skipSpace();
      if (this.take('}')) return dict(entries);
      if (!this.take(',')) throw this.unexpected('after object key:value pair');
    }
  }

  private string(): string {
    const start = ++this.at;
    for (let char = this.text[this.at]; char !== '"'; char = this.text[this.at]) {
      if (char === undefined || char < ' ') throw this.unexpected('in string literal');
      this.at++;
      if (char === '\\') this.escape();
    }
    const literal = this.text.slice(start, this.at++);
    this.budget.charge(literal.length);
    const text = fromBytes(Buffer.from(literal, 'latin1')).toWellFormed();
    if (!text.includes('\\')) return text;
    const parsed: unknown = JSON.parse(`"${text.replaceAll('\x7f', '\\u007f')}"`);
    return typeof parsed === 'string' ? parsed.toWellFormed() : '';
  }

  private escape(): void {
    const char = this.text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) {
      throw this.unexpected('in string escape code', ' ');
    }
    this.at++;
    if (char !== 'u') return;
    for (let i = 0; i < 4; i++) {
      if (!/^[0-9a-fA-F]$/.test(this.text[this.at] ?? '')) {
        throw this.unexpected('in \\u hexadecimal character escape', ' ');
      }
      this.at++;
    }
  }

  private number(): number {
    const start = this.at;
    this.take('-');
    if (!this.take('0')) this.digits('in numeric literal');
    if (this.take('.')) this.digits('after decimal point in numeric literal');
    if (this.take('e') || this.take('E')) {
      if (!this.take('+')) this.take('-');
      this.digits('in exponent of numeric literal');
    }
    const literal = this.text.slice(start, this.at);
    const value = Number(literal);
    if (!Number.isFinite(value)) this.outOfRange ??= literal;
    return value;
  }

  private digits(context: string): void {
    const start = this.at;
    for (let char = this.text[this.at] ?? ''; char >= '0' && char <= '9'; char = this.text[this.at] ?? '') {
      this.at++;
    }
    if (this.at === start) throw this.unexpected(context, ' ');
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }
}

/** A byte as encoding/json quotes it: as the character of its number. */
function quoteByte(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const quoted = quote(char);
  return `'${quoted.slice(1, -1)}'`;
}
