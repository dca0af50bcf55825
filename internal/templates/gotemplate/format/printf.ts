import type { Budget } from '../budget.ts';
import { typeOf } from '../values/inspect.ts';
import { fromBytes, normalize, toBytes } from '../values/text.ts';
import {
  FunctionError,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTERFACE,
  sortedKeys,
  type Value,
} from '../values/value.ts';
import {
  type Flags,
  formatCharacter,
  formatHex,
  formatInteger,
  formatNumber,
  formatQuoted,
  formatQuotedCharacter,
  formatText,
  formatUnicode,
  type IntegerBase,
  noFlags,
  pad,
} from './basic.ts';
import { type FloatVerb, SHORTEST } from './float.ts';

/** The largest width, precision and argument index; larger ones are errors in the text. */
const MAX_NUMBER = 1_000_000;

/** As fmt.Sprintf. Mistakes in the format are part of the text: `%!d(string=x)`, `%!s(MISSING)`. */
export function printf(format: string, values: readonly Value[], budget: Budget): string {
  return new FormatReader(format, values, budget).read();
}

class FormatReader {
  readonly #format: string;
  readonly #values: readonly Value[];
  readonly #printer: Printer;
  readonly #budget: Budget;
  #at = 0;
  #next = 0;
  /** An argument was chosen by index (`%[2]d`), so unused ones are no mistake. */
  #isReordered = false;
  #isIndexGood = true;
  #isAfterIndex = false;

  constructor(format: string, values: readonly Value[], budget: Budget) {
    this.#format = format;
    this.#values = values;
    this.#budget = budget;
    this.#printer = new Printer(budget);
  }

  read(): string {
    while (this.#at < this.#format.length) {
      this.#budget.step();
      const percent = this.#format.indexOf('%', this.#at);
      const end = percent < 0 ? this.#format.length : percent;
      if (end > this.#at) this.#printer.write(this.#format.slice(this.#at, end));
      this.#at = end + 1;
      if (percent >= 0 && !this.#readVerb()) break;
    }
    this.#writeUnused();
    return this.#printer.text();
  }

  /** False at the end of the format. */
  #readVerb(): boolean {
    this.#isIndexGood = true;
    this.#isAfterIndex = false;
    const flags = noFlags();
    this.#printer.flags = flags;
    this.#readFlags(flags);
    this.#readIndex();
    this.#readWidth(flags);
    this.#readPrecision(flags);
    if (!this.#isAfterIndex) this.#readIndex();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#printer.write('%!(NOVERB)');
      return false;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    this.#writeVerb(verb, flags);
    return true;
  }

  #writeVerb(verb: string, flags: Flags): void {
    const value = this.#values[this.#next];
    // A byte that is not UTF-8 is decoded as U+FFFD.
    const shown = verb.isWellFormed() ? verb : '\ufffd';
    if (verb === '%') this.#printer.write('%');
    else if (!this.#isIndexGood) this.#printer.write(`%!${shown}(BADINDEX)`);
    else if (value === undefined) this.#printer.write(`%!${shown}(MISSING)`);
    else {
      if (verb === 'v' || verb === 'w') {
        flags.sharpV = flags.sharp;
        flags.sharp = false;
        flags.plusV = flags.plus;
        flags.plus = false;
      }
      this.#printer.print(value, shown);
      this.#next++;
    }
  }

  #readFlags(flags: Flags): void {
    for (; ; this.#at++) {
      const char = this.#format[this.#at];
      if (char === '#') flags.sharp = true;
      else if (char === '0') flags.zero = true;
      else if (char === '+') flags.plus = true;
      else if (char === '-') flags.minus = true;
      else if (char === ' ') flags.space = true;
      else return;
    }
  }

  /** `[2]`: the next argument is the second. */
  #readIndex(): void {
    if (this.#format[this.#at] !== '[') {
      this.#isAfterIndex = false;
      return;
    }
    this.#isReordered = true;
    const close = this.#format.indexOf(']', this.#at);
    if (close < 0 || this.#format.length - this.#at < 3) {
      this.#isIndexGood = false;
      this.#isAfterIndex = false;
      this.#at++;
      return;
    }
    const start = this.#at + 1;
    this.#at = close + 1;
    const digits = this.#format.slice(start, Math.min(close, start + 10));
    const isNumber = close > start && close - start < 10 && /^[0-9]+$/.test(digits);
    const index = isNumber && Number(digits) <= 10 * MAX_NUMBER ? Number(digits) - 1 : undefined;
    this.#isAfterIndex = index !== undefined;
    if (index !== undefined && index >= 0 && index < this.#values.length) this.#next = index;
    else this.#isIndexGood = false;
  }

  #readWidth(flags: Flags): void {
    if (this.#format[this.#at] === '*') {
      this.#at++;
      const width = this.#integerArgument();
      if (width === undefined) this.#printer.write('%!(BADWIDTH)');
      flags.width = width === undefined ? undefined : Math.abs(width);
      if (width !== undefined && width < 0) {
        flags.minus = true;
        flags.zero = false;
      }
      this.#isAfterIndex = false;
      return;
    }
    flags.width = this.#readNumber();
    if (this.#isAfterIndex && flags.width !== undefined) this.#isIndexGood = false;
  }

  #readPrecision(flags: Flags): void {
    // A point at the very end is the verb.
    if (this.#format[this.#at] !== '.' || this.#at + 1 >= this.#format.length) return;
    this.#at++;
    if (this.#isAfterIndex) this.#isIndexGood = false;
    this.#readIndex();
    if (this.#format[this.#at] !== '*') {
      flags.precision = this.#readNumber() ?? 0;
      return;
    }
    this.#at++;
    const precision = this.#integerArgument();
    if (precision === undefined || precision < 0) this.#printer.write('%!(BADPREC)');
    else flags.precision = precision;
    this.#isAfterIndex = false;
  }

  /** Undefined if there is none. A number that is too large ends the format, as in Go. */
  #readNumber(): number | undefined {
    let number: number | undefined;
    for (; ; this.#at++) {
      const digit = this.#format.charCodeAt(this.#at) - 0x30;
      if (!(digit >= 0 && digit <= 9)) return number;
      if (number !== undefined && number > MAX_NUMBER) {
        this.#at = this.#format.length;
        return undefined;
      }
      number = (number ?? 0) * 10 + digit;
    }
  }

  /** The next argument as width or precision; undefined if it is no integer or too large. */
  #integerArgument(): number | undefined {
    const value = this.#values[this.#next];
    if (value === undefined) return undefined;
    this.#next++;
    if (!(value instanceof GoInteger)) return undefined;
    const number = Number(value.value);
    return Math.abs(number) > MAX_NUMBER ? undefined : number;
  }

  #writeUnused(): void {
    if (this.#isReordered || this.#next >= this.#values.length) return;
    this.#printer.flags = noFlags();
    this.#printer.write('%!(EXTRA ');
    for (const [i, value] of this.#values.slice(this.#next).entries()) {
      if (i > 0) this.#printer.write(', ');
      if (value === null) this.#printer.write('<nil>');
      else {
        this.#printer.write(`${typeOf(value)}=`);
        this.#printer.print(value, 'v');
      }
    }
    this.#printer.write(')');
  }
}

/** As fmt.Sprint: a space between two values if neither is a string. */
export function print(values: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  let wasString = false;
  for (const [i, value] of values.entries()) {
    const isString = typeof value === 'string';
    if (i > 0 && !isString && !wasString) printer.write(' ');
    printer.print(value, 'v');
    wasString = isString;
  }
  return printer.text();
}

/** As fmt.Sprintln: a space between all values, and a line break. */
export function println(values: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  for (const [i, value] of values.entries()) {
    if (i > 0) printer.write(' ');
    printer.print(value, 'v');
  }
  printer.write('\n');
  return printer.text();
}

/** The text of one value, as an action writes it. */
export const printValue = (value: Value, budget: Budget): string =>
  typeof value === 'string' ? value : print([value], budget);

const NIL = '<nil>';

/** Writes values by a verb, as the package fmt does. Charges the budget with what it writes, before it is written. */
class Printer {
  flags: Flags = noFlags();
  readonly #parts: string[] = [];
  readonly #budget: Budget;
  /** While an error such as `%!d(string=x)` is written; methods are not called then. */
  #isWritingError = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  text(): string {
    return normalize(this.#parts.join(''));
  }

  write(text: string): void {
    this.#budget.charge(text.length);
    this.#parts.push(text);
  }

  /** Writes an argument. */
  print(value: Value, verb: string): void {
    if (value === null) {
      if (verb === 'T' || verb === 'v') this.#pad(NIL);
      else this.#writeBadVerb(value, verb);
      return;
    }
    if (verb === 'T') this.#string(typeOf(value) ?? NIL);
    else if (verb === 'p') this.#pointer(value);
    else if (isBytes(value) && verb === 'v' && this.flags.sharpV) this.#value(value, verb, 0, '[]byte');
    else this.#value(value, verb, 0);
  }

  #value(value: Value, verb: string, depth: number, typeName?: string): void {
    this.#budget.step();
    this.#budget.checkDepth(depth);
    if (value === null) this.write(this.flags.sharpV ? `${INTERFACE}(nil)` : NIL);
    else if (typeof value === 'boolean') this.#boolean(value, verb);
    else if (typeof value === 'number') this.#float(value, verb);
    else if (typeof value === 'string') this.#stringWith(value, value, verb);
    else if (value instanceof GoInteger) this.#integer(value, verb);
    // A verb of fmt.Errorf only, which methods are looked up for: lists of bytes have none.
    else if (verb === 'w' && (depth > 0 || !isBytes(value))) this.#writeBadVerb(value, verb);
    else if (value instanceof GoSlice) this.#slice(value, verb, depth, typeName ?? value.typeName);
    else if (value instanceof GoMap) this.#map(value, verb, depth);
    else this.#object(value, verb);
  }

  #boolean(value: boolean, verb: string): void {
    if (verb === 't' || verb === 'v') this.#pad(String(value));
    else this.#writeBadVerb(value, verb);
  }

  #float(value: number, verb: string): void {
    const [letter, precision] = FLOAT_VERBS[verb] ?? [];
    if (!letter || precision === undefined) this.#writeBadVerb(value, verb);
    else {
      this.#chargePadding();
      this.write(formatNumber(value, letter, precision, this.flags));
    }
  }

  #integer(value: GoInteger, verb: string): void {
    const text = value.type.text?.(value.value);
    if (text !== undefined && this.#usesText(verb)) {
      this.#stringWith(value, text, verb);
      return;
    }
    this.#chargePadding();
    const isGoSyntax = verb === 'v' && this.flags.sharpV && !value.type.signed;
    const base = isGoSyntax ? 16 : INTEGER_BASES[verb];
    const flags = isGoSyntax ? { ...this.flags, sharp: true } : this.flags;
    if (base) this.write(formatInteger(value.value, base, verb, flags));
    else if (verb === 'c') this.write(formatCharacter(value.value, flags));
    else if (verb === 'q') this.write(formatQuotedCharacter(value.value, flags));
    else if (verb === 'U') this.write(formatUnicode(value.value, flags));
    else this.#writeBadVerb(value, verb);
  }

  #string(text: string): void {
    this.#chargePadding();
    this.write(formatText(text, this.flags));
  }

  /** @param owner what an error shows: the string, or the value whose text it is */
  #stringWith(owner: Value, text: string, verb: string): void {
    if (verb === 's' || (verb === 'v' && !this.flags.sharpV)) this.#string(text);
    else if (verb === 'q' || verb === 'v') {
      this.#budget.charge(text.length * MAX_ESCAPE_LENGTH);
      this.#budget.step(text.length / QUOTED_PER_STEP);
      this.#chargePadding();
      this.write(formatQuoted(text, this.flags));
    } else if (verb === 'x' || verb === 'X') this.#hex(toBytes(text), verb);
    else this.#writeBadVerb(owner, verb);
  }

  #hex(bytes: Uint8Array, verb: 'x' | 'X'): void {
    this.#budget.charge(bytes.length * MAX_ESCAPE_LENGTH);
    this.#chargePadding();
    this.write(formatHex(bytes, verb, this.flags));
  }

  #slice(slice: GoSlice, verb: string, depth: number, typeName: string): void {
    if (slice.elementType === 'uint8' && (verb === 'x' || verb === 'X')) this.#hex(bytesOf(slice), verb);
    else if (slice.elementType === 'uint8' && (verb === 's' || verb === 'q')) {
      this.#stringWith(slice, textOf(slice), verb);
    } else if (this.flags.sharpV && slice.isNil) this.write(`${typeName}(nil)`);
    else {
      const { sharpV } = this.flags;
      this.write(sharpV ? `${typeName}{` : '[');
      for (const [i, item] of slice.items.entries()) {
        if (i > 0) this.write(sharpV ? ', ' : ' ');
        this.#value(item, verb, depth + 1);
      }
      this.write(sharpV ? '}' : ']');
    }
  }

  #map(map: GoMap, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    if (sharpV && map.isNil) {
      this.write(`${map.typeName}(nil)`);
      return;
    }
    this.write(sharpV ? `${map.typeName}{` : 'map[');
    this.#budget.step(map.entries.size);
    for (const [i, key] of sortedKeys(map).entries()) {
      if (i > 0) this.write(sharpV ? ', ' : ' ');
      this.#value(key, verb, depth + 1);
      this.write(':');
      this.#value(map.entries.get(key) ?? null, verb, depth + 1);
    }
    this.write(sharpV ? '}' : ']');
  }

  #object(object: GoObject, verb: string): void {
    const { type, content } = object;
    if (object.isNil) this.#pad(NIL);
    else if (verb === 'v' && this.flags.sharpV) this.#string((type.goText ?? type.text)(content));
    else if (this.#usesText(verb)) this.#stringWith(object, type.text(content), verb);
    // Go shows the unexported fields of the struct, with addresses.
    else throw new FunctionError(`verb %${verb} of type ${type.name} is not supported`);
  }

  #pointer(value: Value): void {
    if (value instanceof GoSlice || value instanceof GoMap || value instanceof GoObject) {
      throw new FunctionError('verb %p is not supported');
    }
    this.#writeBadVerb(value, 'p');
  }

  /** Whether the verb writes the result of a method String or Error. */
  #usesText(verb: string): boolean {
    if (this.#isWritingError || (verb === 'v' && this.flags.sharpV)) return false;
    return verb === 'v' || verb === 's' || verb === 'x' || verb === 'X' || verb === 'q';
  }

  #writeBadVerb(value: Value, verb: string): void {
    const before = this.#isWritingError;
    this.#isWritingError = true;
    this.write(`%!${verb}(`);
    if (value === null) this.write(NIL);
    else {
      this.write(`${typeOf(value)}=`);
      this.#value(value, 'v', 0);
    }
    this.write(')');
    this.#isWritingError = before;
  }

  #pad(text: string): void {
    this.#chargePadding();
    this.write(pad(text, this.flags));
  }

  #chargePadding(): void {
    this.#budget.charge((this.flags.width ?? 0) + (this.flags.precision ?? 0));
  }
}

/** Characters that are quoted in the time of a step. */
const QUOTED_PER_STEP = 8;

/** `\U0010ffff`, or `0xff ` for a byte. */
const MAX_ESCAPE_LENGTH = 10;

const FLOAT_VERBS: Readonly<Record<string, readonly [FloatVerb, number]>> = {
  v: ['g', SHORTEST],
  b: ['b', SHORTEST],
  g: ['g', SHORTEST],
  G: ['G', SHORTEST],
  x: ['x', SHORTEST],
  X: ['X', SHORTEST],
  f: ['f', 6],
  F: ['f', 6],
  e: ['e', 6],
  E: ['E', 6],
};

const INTEGER_BASES: Readonly<Record<string, IntegerBase>> = {
  v: 10,
  d: 10,
  b: 2,
  o: 8,
  O: 8,
  x: 16,
  X: 16,
};

const isBytes = (value: Value): boolean => value instanceof GoSlice && value.elementType === 'uint8';

const bytesOf = (slice: GoSlice): Uint8Array =>
  Uint8Array.from(slice.items, (item) => (item instanceof GoInteger ? Number(item.value) : 0));

const textOf = (slice: GoSlice): string => fromBytes(bytesOf(slice));
