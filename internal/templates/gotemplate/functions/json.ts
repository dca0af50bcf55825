import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { formatFloat, SHORTEST } from '../format/float.ts';
import { quote } from '../format/quote.ts';
import { fromBytes, toBytes } from '../values/text.ts';
import {
  dict,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTERFACE,
  list,
  sortedKeys,
  type Value,
} from '../values/value.ts';
import { bytesText } from './convert/cast.ts';
import { chargeText, Failure, TextBuilder } from './define.ts';
import { versionIn, versionText } from './semver/version.ts';
import { timeIn, timeJson } from './time/values.ts';

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

export interface JsonForm {
  /** Whether <, > and & are written as escapes. */
  readonly escapesHtml: boolean;
  /** Of one level. Default: all in one line. */
  readonly indentation?: string;
}

/** JSON as encoding/json writes it. @throws Failure for values that JSON does not have */
export function encodeJson(value: Value, form: JsonForm, budget: Budget): string {
  const encoder = new Encoder(form, budget);
  encoder.write(value, 0);
  return encoder.text();
}

class Encoder {
  private readonly form: JsonForm;
  private readonly budget: Budget;
  private readonly out: TextBuilder;

  constructor(form: JsonForm, budget: Budget) {
    this.form = form;
    this.budget = budget;
    this.out = new TextBuilder(budget);
  }

  text(): string {
    return this.out.toString();
  }

  write(value: Value, depth: number): void {
    this.budget.step();
    this.budget.checkDepth(depth);
    if (value === null || typeof value === 'boolean') this.out.append(String(value));
    else if (typeof value === 'number') this.out.append(numberText(value));
    else if (typeof value === 'string') this.writeText(value);
    else if (value instanceof GoInteger) this.out.append(value.value.toString());
    else if (value instanceof GoSlice) this.writeSlice(value, depth);
    else if (value instanceof GoMap) this.writeMap(value, depth);
    else this.writeObject(value, depth);
  }

  private writeSlice(value: GoSlice, depth: number): void {
    if (value.isNil) this.out.append('null');
    else if (value.elementType === 'uint8') {
      chargeText(this.budget, value.items.length * 2);
      this.out.append(`"${toBytes(bytesText(value)).toString('base64')}"`);
    } else {
      this.writeMembers('[]', value.items, depth, (item) => this.write(item, depth + 1));
    }
  }

  private writeMap(value: GoMap, depth: number): void {
    if (value.isNil) {
      this.out.append('null');
      return;
    }
    const fields = sortedKeys(value).map((key) => [key, value.entries.get(key) ?? null] as const);
    this.writeFields(fields, depth);
  }

  private writeFields(fields: readonly (readonly [string, Value])[], depth: number): void {
    this.writeMembers('{}', fields, depth, ([key, item]) => {
      this.writeText(key);
      this.out.append(this.form.indentation === undefined ? ':' : ': ');
      this.write(item, depth + 1);
    });
  }

  private writeMembers<T>(
    brackets: string,
    members: readonly T[],
    depth: number,
    write: (member: T) => void,
  ): void {
    const [open = '', close = ''] = brackets;
    const { indentation } = this.form;
    const lineBreak = (level: number) => (indentation === undefined ? '' : `\n${indentation.repeat(level)}`);
    this.out.append(open);
    for (const [i, member] of members.entries()) {
      this.out.append((i > 0 ? ',' : '') + lineBreak(depth + 1));
      write(member);
    }
    this.out.append((members.length > 0 ? lineBreak(depth) : '') + close);
  }

  private writeObject(value: GoObject, depth: number): void {
    const time = timeIn(value);
    const version = versionIn(value);
    if (time) this.writeTime(timeJson(time));
    else if (version) this.writeText(versionText(version));
    else if (value.type.json && !value.isNil) this.writeFields(value.type.json(value.content), depth);
    else this.out.append('null');
  }

  private writeTime(text: string): void {
    if (!/^\d{4}-/.test(text)) {
      throw new Failure(
        'json encode error: json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]',
        '',
      );
    }
    this.writeText(text);
  }

  private writeText(text: string): void {
    chargeText(this.budget, text.length);
    this.out.append(`"${text.replace(this.form.escapesHtml ? WITH_HTML : WITHOUT_HTML, escapeCharacter)}"`);
  }
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) {
    throw new Failure(`json encode error: json: unsupported value: ${formatFloat(value, 'g', SHORTEST)}`, '');
  }
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Lone surrogates are bytes that are not UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const WITHOUT_HTML = /[\0-\x1f"\\\u2028\u2029\ud800-\udfff]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const WITH_HTML = /[\0-\x1f"\\<>&\u2028\u2029\ud800-\udfff]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeCharacter(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0xd800) return '\\ufffd';
  return SHORT_ESCAPES[char] ?? `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * What is left of a value if encoding/json writes it, and a reader that keeps integers reads it: bytes that are not UTF-8
 * are U+FFFD, nil maps null, times texts. @throws Failure for what JSON does not have
 */
export function toJsonValue(value: Value, budget: Budget, depth = 0): Value {
  budget.step();
  budget.checkDepth(depth);
  if (typeof value === 'string')
    return value.isWellFormed() ? value : value.replace(/[\ud800-\udfff]/gu, '\ufffd');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Failure('json: unsupported value');
  if (value instanceof GoSlice) return sliceValue(value, budget, depth);
  if (value instanceof GoMap) {
    if (value.isNil) return null;
    budget.charge(value.entries.size * ELEMENT_BYTES);
    const entries = [...value.entries].map(
      ([key, item]) => [String(toJsonValue(key, budget)), toJsonValue(item, budget, depth + 1)] as const,
    );
    return new GoMap(INTERFACE, new Map(entries));
  }
  if (value instanceof GoObject) return objectValue(value, budget, depth);
  return value;
}

function sliceValue(value: GoSlice, budget: Budget, depth: number): Value {
  if (value.isNil) return null;
  budget.charge(value.items.length * ELEMENT_BYTES);
  if (value.elementType === 'uint8') return toBytes(bytesText(value)).toString('base64');
  return new GoSlice(
    INTERFACE,
    value.items.map((item) => toJsonValue(item, budget, depth + 1)),
  );
}

function objectValue(value: GoObject, budget: Budget, depth: number): Value {
  if (value.isNil) return null;
  const time = timeIn(value);
  if (time) return timeJson(time);
  const version = versionIn(value);
  if (version) return versionText(version);
  return value.type.json ? toJsonValue(dict(value.type.json(value.content)), budget, depth + 1) : null;
}
