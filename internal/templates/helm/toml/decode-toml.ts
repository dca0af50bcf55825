import { quoteRune } from '../../gotemplate/format/quote.ts';
import {
  type Budget,
  dict,
  ELEMENT_BYTES,
  GoMap,
  GoSlice,
  int64,
  list,
  parseFloat64,
  parseRfc3339,
  quote,
  type Value,
} from '../../gotemplate/index.ts';
import { TomlError } from './encode-toml.ts';

/** A document as a map. Integers are int64, floats float64, lists `[]interface {}`. @throws TomlError */
export function decodeToml(text: string, budget: Budget): GoMap {
  budget.charge(text.length * 4);
  budget.step(Math.ceil(text.length / 16));
  return new Parser(text.replaceAll('\r\n', '\n'), budget).document();
}

const TABLES = 'map[string]interface {}';

class Parser {
  readonly #text: string;
  readonly #budget: Budget;
  readonly #root = dict();
  /** Tables that may not be opened again: by a header, inline, or by dotted keys. */
  readonly #closed = new Set<GoMap>();
  /** Lists of tables, by their path; slices are immutable. */
  readonly #lists = new Map<GoSlice, Value[]>();
  #table = this.#root;
  #at = 0;
  /** For errors. */
  #lastKey = '';

  constructor(text: string, budget: Budget) {
    this.#text = text;
    this.#budget = budget;
  }

  document(): GoMap {
    for (;;) {
      this.#skipSpace(true);
      if (this.#at >= this.#text.length) return this.#root;
      if (this.#peek() === '[') this.#header();
      else this.#keyValue(this.#table);
      this.#endLine();
    }
  }

  #fail(problem: string): never {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    const where = this.#lastKey === '' ? '' : ` (last key ${quote(this.#lastKey)})`;
    throw new TomlError(`toml: line ${line}${where}: ${problem}`);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #skipSpace(andLines: boolean): void {
    for (;;) {
      const char = this.#peek();
      if (char === ' ' || char === '\t' || (andLines && char === '\n')) this.#at++;
      else if (char === '#') {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else return;
    }
  }

  #endLine(): void {
    this.#skipSpace(false);
    if (this.#at < this.#text.length && !this.#take('\n')) {
      this.#fail(
        `expected a top-level item to end with a newline, comment, or EOF, but got ${quoteRune(this.#peek().codePointAt(0) ?? 0)} instead`,
      );
    }
  }

  #header(): void {
    const isList = this.#take('[[');
    if (!isList) this.#take('[');
    const path = this.#keyPath();
    if (!this.#take(isList ? ']]' : ']')) this.#fail("expected a ']' at the end of a table name");
    const last = path.pop() ?? '';
    const parent = path.reduce((table, key) => this.#enter(table, key), this.#root);
    const existing = parent.entries.get(last);
    if (isList) {
      const table = dict();
      if (existing !== undefined && !(existing instanceof GoSlice && this.#lists.has(existing))) {
        this.#fail(`Key '${last}' was already created and cannot be used as an array`);
      }
      const items = existing instanceof GoSlice ? (this.#lists.get(existing) ?? []) : [];
      items.push(table);
      const slice = existing instanceof GoSlice ? existing : new GoSlice(TABLES, items);
      this.#lists.set(slice, items);
      parent.entries.set(last, slice);
      this.#table = table;
      return;
    }
    if (existing !== undefined && (!(existing instanceof GoMap) || this.#closed.has(existing))) {
      this.#fail(`Key '${last}' has already been defined.`);
    }
    const table = existing instanceof GoMap ? existing : dict();
    parent.entries.set(last, table);
    this.#closed.add(table);
    this.#table = table;
  }

  /** The table under a key, which is made if it does not exist; of a list of tables the last one. */
  #enter(table: GoMap, key: string): GoMap {
    const existing = table.entries.get(key);
    if (existing === undefined) {
      const created = dict();
      table.entries.set(key, created);
      return created;
    }
    const last = existing instanceof GoSlice ? this.#lists.get(existing)?.at(-1) : existing;
    if (last instanceof GoMap) return last;
    return this.#fail(`Key '${key}' has already been defined.`);
  }

  #keyPath(): string[] {
    const path: string[] = [];
    do {
      this.#skipSpace(false);
      path.push(this.#key(path.length > 0));
      this.#skipSpace(false);
    } while (this.#take('.'));
    return path;
  }

  #key(isNested: boolean): string {
    const char = this.#peek();
    if (char === '"' || char === "'") return this.#string();
    const [bare = ''] = /^[A-Za-z0-9_-]*/.exec(this.#text.slice(this.#at, this.#at + 1000)) ?? [];
    if (bare === '') this.#fail(unexpectedInKey(char, isNested));
    this.#at += bare.length;
    return bare;
  }

  #string(): string {
    const { value, end, problem } = readTomlString(this.#text, this.#at);
    if (problem !== undefined) this.#fail(problem);
    this.#at = end;
    return value;
  }

  #keyValue(table: GoMap): void {
    const path = this.#keyPath();
    if (!this.#take('=')) this.#fail(unexpectedInKey(this.#peek(), true));
    this.#lastKey = path.join('.');
    this.#skipSpace(false);
    const last = path.pop() ?? '';
    const parent = path.reduce((current, key) => this.#enter(current, key), table);
    if (parent.entries.has(last)) this.#fail(`Key '${[...path, last].join('.')}' has already been defined.`);
    parent.entries.set(last, this.#value(0));
  }

  #value(depth: number): Value {
    this.#budget.step();
    this.#budget.charge(ELEMENT_BYTES);
    this.#budget.checkDepth(depth);
    const char = this.#peek();
    if (char === '"' || char === "'") return this.#string();
    if (char === '[') return this.#list(depth);
    if (char === '{') return this.#inlineTable(depth);
    const [word = ''] = /^[^\s,\]}#]*/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
    // A date may have a space before its time.
    const [date] =
      /^\d{4}-\d\d-\d\d \d\d:[\d:.]+(?:[zZ]|[+-]\d\d:\d\d)?/.exec(
        this.#text.slice(this.#at, this.#at + 60),
      ) ?? [];
    const text = date ?? word;
    const value = scalar(text);
    if (value === undefined) this.#fail(`expected value but found '${char}' instead`);
    this.#at += text.length;
    return value;
  }

  #list(depth: number): Value {
    this.#take('[');
    const items: Value[] = [];
    for (;;) {
      this.#skipSpace(true);
      if (this.#take(']')) return list(items);
      items.push(this.#value(depth + 1));
      this.#skipSpace(true);
      if (this.#take(',')) continue;
      if (!this.#take(']')) this.#fail("expected a comma (',') or array terminator (']')");
      return list(items);
    }
  }

  #inlineTable(depth: number): Value {
    this.#take('{');
    this.#budget.checkDepth(depth + 1);
    const table = dict();
    for (;;) {
      this.#skipSpace(true);
      if (this.#take('}')) break;
      this.#keyValue(table);
      this.#skipSpace(true);
      if (this.#take(',')) continue;
      if (!this.#take('}')) this.#fail("expected a comma or an inline table terminator '}'");
      break;
    }
    this.#closed.add(table);
    return table;
  }
}

/** @param char empty at the end @param isBehindKey whether a part of the key was read */
function unexpectedInKey(char: string, isBehindKey: boolean): string {
  if (char === '') return "unexpected EOF; expected key separator '='";
  if (char === '.') return isBehindKey ? "unexpected '.'" : "unexpected '.': keys cannot start with a '.'";
  return `expected '.' or '=', but got ${quoteRune(char.codePointAt(0) ?? 0)} instead`;
}

function scalar(text: string): Value | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^[+-]?(?:inf|nan)$/.test(text)) {
    return text.endsWith('nan') ? Number.NaN : text.startsWith('-') ? -Infinity : Infinity;
  }
  const plain = text.replaceAll('_', '');
  if (/__|^_|_$|\D_\D/.test(text)) return undefined;
  if (/^[+-]?(?:0|[1-9]\d*)$/.test(plain)) return inRange(BigInt(plain.replace('+', '')));
  if (/^0x[0-9a-fA-F]+$|^0o[0-7]+$|^0b[01]+$/.test(plain)) return inRange(BigInt(plain));
  if (/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain)) return parseFloat64(plain);
  return parseRfc3339(text.replace(/^(\d{4}-\d\d-\d\d)[ t]/, '$1T').replace(/z$/, 'Z'));
}

const inRange = (value: bigint): Value | undefined =>
  BigInt.asIntN(64, value) === value ? int64(value) : undefined;

interface TomlString {
  readonly value: string;
  /** Behind the closing quotes. */
  readonly end: number;
  readonly problem?: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

/** The string that starts at a quote: of one line or of several, with escapes in double quotes. */
function readTomlString(text: string, start: number): TomlString {
  const quote = text.charAt(start);
  const isMultiline = text.startsWith(quote.repeat(3), start);
  const fence = isMultiline ? quote.repeat(3) : quote;
  let at = start + fence.length;
  if (isMultiline && text[at] === '\n') at++;
  let value = '';
  for (;;) {
    const char = text[at];
    if (char === undefined)
      return {
        value,
        end: at,
        problem: `unexpected EOF; expected ${fence.startsWith("'") ? `"${fence}"` : `'${fence}'`}`,
      };
    if (text.startsWith(fence, at)) {
      // Up to two quotes may stand before the closing ones.
      while (isMultiline && text.startsWith(quote, at + fence.length) && !value.endsWith(quote.repeat(2))) {
        value += quote;
        at++;
      }
      return { value, end: at + fence.length };
    }
    if (char === '\n' && !isMultiline) return { value, end: at, problem: 'strings cannot contain newlines' };
    if (char !== '\\' || quote === "'") {
      value += char;
      at++;
      continue;
    }
    const escaped = readEscape(text, at + 1, isMultiline);
    if (escaped.problem !== undefined) return escaped;
    value += escaped.value;
    at = escaped.end;
  }
}

function readEscape(text: string, at: number, isMultiline: boolean): TomlString {
  const letter = text.charAt(at);
  const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (plain !== undefined) return { value: plain, end: at + 1 };
  const [blank] = /^[ \t]*\n\s*/.exec(text.slice(at)) ?? [];
  if (isMultiline && blank !== undefined) return { value: '', end: at + blank.length };
  const digits = { x: 2, u: 4, U: 8 }[letter] ?? 0;
  const hex = text.slice(at + 1, at + 1 + digits);
  const code = Number.parseInt(hex, 16);
  const isValid = digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex);
  if (!isValid || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return { value: '', end: at, problem: `invalid escape character '${letter}'` };
  }
  return { value: String.fromCodePoint(code), end: at + 1 + digits };
}
