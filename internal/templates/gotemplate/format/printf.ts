import type { Budget } from '../budget.ts';
import { typeOf } from '../values/inspect.ts';
import { GoInteger, type Value } from '../values/value.ts';
import { type Flags, noFlags } from './flags.ts';
import { Printer } from './printer.ts';

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
