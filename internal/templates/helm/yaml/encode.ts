/** Writes values as `sigs.k8s.io/yaml` marshals them: by way of JSON. */
import {
  type Budget,
  durationIn,
  ELEMENT_BYTES,
  formatDuration,
  formatFloat,
  GoInteger,
  GoMap,
  GoSlice,
  SHORTEST,
  toJsonValue,
  type Value,
} from '../../gotemplate/index.ts';
import { findForbidden, isBlankOrEnd, isBreak, YamlError } from './cursor.ts';
import { canBePlain } from './resolve.ts';

/** A document that ends in a line break. @throws YamlError for values that cannot be written */
export function encodeYaml(value: Value, budget: Budget): string {
  const encoder = new Encoder(budget);
  encoder.root(toJsonValue(value, budget));
  return encoder.text;
}

/**
 * As `encodeYaml`, by the rules of a later version of the library: lists are indented, lines never broken, and values
 * written without JSON in between.
 */
export function encodePrettyYaml(value: Value, budget: Budget): string {
  const encoder = new Encoder(budget, true);
  encoder.root(value);
  return encoder.text;
}

const INDENT = 2;
/** A key of more bytes is written behind a `?`. */
const MAX_SIMPLE_KEY = 128;
/** Characters of a key that the library can read again. */
const MAX_KEY = 1024;

class Encoder {
  readonly #budget: Budget;
  readonly #out: YamlWriter;
  readonly #isPretty: boolean;

  constructor(budget: Budget, isPretty = false) {
    this.#budget = budget;
    this.#isPretty = isPretty;
    this.#out = new YamlWriter(isPretty ? Infinity : BEST_WIDTH);
  }

  get text(): string {
    return this.#out.text;
  }

  root(value: Value): void {
    this.#node(value, 'root', 0);
    this.#out.indent = -1;
    this.#out.writeIndent();
  }

  #node(value: Value, place: 'root' | 'item' | 'value', depth: number): void {
    this.#budget.step();
    this.#budget.charge(ELEMENT_BYTES);
    this.#budget.checkDepth(depth);
    if (value instanceof GoMap && (this.#isPretty || !value.isNil)) this.#mapping(value, depth);
    else if (value instanceof GoSlice && (this.#isPretty || !value.isNil))
      this.#sequence(value, place, depth);
    else this.#scalar(value, false);
  }

  #mapping(map: GoMap, depth: number): void {
    if (map.entries.size === 0) {
      this.#empty('{', '}');
      return;
    }
    this.#budget.step(map.entries.size);
    const outer = this.#out.indent;
    this.#out.indent = outer < 0 ? 0 : outer + INDENT;
    for (const key of sortYamlKeys([...map.entries.keys()])) {
      this.#out.writeIndent();
      this.#key(key);
      this.#node(map.entries.get(key) ?? null, 'value', depth + 1);
    }
    this.#out.indent = outer;
  }

  #key(key: string): void {
    if (key.length > MAX_KEY) throw new YamlError("did not find expected ',' or '}'");
    if (Buffer.byteLength(key) <= MAX_SIMPLE_KEY && !analyzeScalar(key).isMultiline) {
      this.#scalar(key, true);
      this.#out.indicator(':');
      return;
    }
    this.#out.indicator('?', { separate: true, keepsIndent: true });
    this.#scalar(key, false);
    this.#out.writeIndent();
    this.#out.indicator(':', { separate: true, keepsIndent: true });
  }

  #sequence({ items }: GoSlice, place: 'root' | 'item' | 'value', depth: number): void {
    if (items.length === 0) {
      this.#empty('[', ']');
      return;
    }
    const outer = this.#out.indent;
    if (outer < 0) this.#out.indent = 0;
    else if (this.#isPretty || !(place === 'value' && !this.#out.isIndented))
      this.#out.indent = outer + INDENT;
    for (const item of items) {
      this.#out.writeIndent();
      this.#out.indicator('-', { separate: true, keepsIndent: true });
      this.#node(item, 'item', depth + 1);
    }
    this.#out.indent = outer;
  }

  #empty(open: string, close: string): void {
    this.#out.indicator(open, { separate: true, isSpace: true });
    this.#out.indicator(close);
  }

  #scalar(value: Value, isKey: boolean): void {
    const outer = this.#out.indent;
    this.#out.indent = outer < 0 ? INDENT : outer + INDENT;
    if (typeof value === 'string') this.#text(value, isKey);
    else writePlain(this.#out, this.#isPretty ? prettyText(value) : plainText(value), !isKey);
    this.#out.indent = outer;
  }

  #text(written: string, isKey: boolean): void {
    const text = this.#isPretty ? written : readBack(written);
    this.#budget.charge(text.length * 2);
    this.#budget.step(Math.ceil(text.length / 64));
    const analysis = analyzeScalar(text, this.#isPretty);
    const out = this.#out;
    const hasBreak = text.includes('\n');
    if (hasBreak && !isKey && analysis.isBlockAllowed) writeLiteral(out, text);
    else if (hasBreak || (isKey && analysis.isMultiline) || !canBePlain(text)) {
      writeDoubleQuoted(out, text, !isKey);
    } else if (analysis.isPlainAllowed && !(text === '' && isKey)) writePlain(out, text, !isKey);
    else if (analysis.isSingleQuotedAllowed) writeSingleQuoted(out, text, !isKey);
    else writeDoubleQuoted(out, text, !isKey);
  }
}

/** A text as YAML reads it in JSON, where control characters below 0x20 are escaped, and others are not. */
function readBack(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const forbidden = findForbidden(text.replace(ESCAPED, ''));
  if (forbidden !== undefined) throw new YamlError(forbidden);
  return foldBreaks(text.split('\u0085'));
}

/** One line break becomes a space, further ones stay; spaces around them are dropped. */
function foldBreaks(lines: readonly string[]): string {
  let folded = '';
  let breaks = 0;
  for (const [i, line] of lines.entries()) {
    const from = i > 0 ? firstOther(line) : 0;
    const to = i < lines.length - 1 ? lastOther(line) : line.length;
    if (i > 0) breaks++;
    if (from >= to && i > 0 && i < lines.length - 1) continue;
    if (breaks > 0) folded += breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
    breaks = 0;
    folded += line.slice(from, to);
  }
  return folded;
}

/** Index of the first character that is no space. */
function firstOther(text: string): number {
  let at = 0;
  while (text[at] === ' ') at++;
  return at;
}

/** Index behind the last character that is no space. */
function lastOther(text: string): number {
  let at = text.length;
  while (at > 0 && text[at - 1] === ' ') at--;
  return at;
}

const UNSAFE = /[\x7f-\x9f\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const ESCAPED = /[\0-\x1f]/g;

/** Floats keep their exponent. */
function prettyText(value: Value): string {
  const duration = durationIn(value);
  if (duration !== undefined) return formatDuration(duration);
  return typeof value === 'number' ? floatText(value) : plainText(value);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return formatFloat(value, 'g', SHORTEST);
}

/** Floats from here on have an exponent in JSON. */
const MAX_DIGITS = 1e21;
const MIN_INT64 = -(2n ** 63n);
const END_UINT64 = 2n ** 64n;

/** Numbers went through JSON, in which a whole number has no point. */
function plainText(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof GoInteger) return value.value.toString();
  if (typeof value !== 'number') return 'null';
  // The shortest digits that give this float64, and zeros: what is an integer of 64 bits is read and written as one.
  if (Number.isInteger(value) && Math.abs(value) < MAX_DIGITS) {
    const digits = BigInt(String(value));
    if (digits >= MIN_INT64 && digits < END_UINT64) return digits.toString();
  }
  return formatFloat(value, 'g', SHORTEST);
}

/** The width of lines. */
const BEST_WIDTH = 80;

/** @param mayBreak false for keys */
function writePlain(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  writeFolded(out, text, (at) => mayBreak && text[at + 1] !== ' ');
  out.endScalar();
}

function writeSingleQuoted(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  out.put("'");
  writeFolded(
    out,
    text,
    (at) => mayBreak && at > 0 && at < text.length - 1 && text[at + 1] !== ' ',
    (char) => (char === "'" ? "''" : char),
  );
  out.put("'");
  out.endScalar();
}

/** @param breaksAt whether a line may be broken at the space with this index */
function writeFolded(
  out: YamlWriter,
  text: string,
  breaksAt: (at: number) => boolean,
  escapeText: (char: string) => string = (char) => char,
): void {
  let isAfterSpace = false;
  let isAfterBreak = false;
  let at = 0;
  for (const char of text) {
    if (char === ' ') {
      if (!isAfterSpace && out.column > out.width && breaksAt(at)) out.writeIndent();
      else out.put(char);
      isAfterSpace = true;
    } else if (isBreak(char.charCodeAt(0))) {
      if (!isAfterBreak && char === '\n') out.putBreak();
      out.putBreak(char);
      isAfterBreak = true;
    } else {
      if (isAfterBreak) out.writeIndent();
      out.put(escapeText(char));
      out.isIndented = false;
      isAfterSpace = false;
      isAfterBreak = false;
    }
    at += char.length;
  }
}

const ESCAPES: Readonly<Record<number, string>> = {
  0: '0',
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  27: 'e',
  34: '"',
  92: '\\',
  133: 'N',
  160: '_',
  8232: 'L',
  8233: 'P',
};

function writeDoubleQuoted(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  out.put('"');
  // The library looks for a byte order mark at the start, at each character.
  const escapesAll = text.startsWith('\ufeff');
  let isAfterSpace = false;
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (escapesAll || !isPrintable(code) || isBreak(code) || char === '"' || char === '\\') {
      out.put(`\\${ESCAPES[code] ?? numericEscape(code)}`);
      isAfterSpace = false;
    } else if (char === ' ') {
      if (mayBreak && !isAfterSpace && out.column > out.width && at > 0 && at < text.length - 1) {
        out.writeIndent();
        if (text[at + 1] === ' ') out.put('\\');
      } else out.put(char);
      isAfterSpace = true;
    } else {
      out.put(char);
      isAfterSpace = false;
    }
    at += char.length;
  }
  out.put('"');
  out.endScalar();
}

function numericEscape(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `u${hex.padStart(4, '0')}` : `U${hex.padStart(8, '0')}`;
}

function writeLiteral(out: YamlWriter, text: string): void {
  out.separate();
  out.put('|');
  if (text.startsWith(' ') || isBreak(text.charCodeAt(0))) out.put('2');
  const endsInBreak = isBreak(text.charCodeAt(text.length - 1));
  if (!endsInBreak) out.put('-');
  else if (text.length === 1 || isBreak(text.charCodeAt(text.length - 2))) out.put('+');
  out.putBreak();
  out.startLine();
  let isAfterBreak = true;
  for (const char of text) {
    if (isBreak(char.charCodeAt(0))) {
      out.putBreak(char);
      out.isIndented = true;
      isAfterBreak = true;
    } else {
      if (isAfterBreak) out.writeIndent();
      out.put(char);
      out.isIndented = false;
      isAfterBreak = false;
    }
  }
}

/** The order in which the library of Helm writes the keys of a map: letters after other characters, numbers by their value. */
const sortYamlKeys = (keys: readonly string[]): string[] => {
  const split = keys.map((key) => ({ key, runes: Array.from(key, (char) => char.codePointAt(0) ?? 0) }));
  return split.sort((one, other) => compareRunes(one.runes, other.runes)).map(({ key }) => key);
};

function compareRunes(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const one = a[i] ?? 0;
    const other = b[i] ?? 0;
    if (one === other) continue;
    const isLetter = isLetterCode(one);
    const isOtherLetter = isLetterCode(other);
    if (isLetter && isOtherLetter) return one - other;
    if (isLetter || isOtherLetter) return isOtherLetter ? -1 : 1;
    return compareNumbers(a, b, i) || one - other;
  }
  return a.length - b.length;
}

/** The numbers that both have at `at`; 0 if they do not decide. */
function compareNumbers(a: readonly number[], b: readonly number[], at: number): number {
  // Behind digits, a zero is part of a number that is not 0.
  const isInNumber = (a[at] === ZERO || b[at] === ZERO) && endsInNumber(a, at);
  const start = isInNumber ? 1n : 0n;
  const one = readNumber(a, at, start);
  const other = readNumber(b, at, start);
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  return one.end - other.end;
}

const ZERO = 0x30;

function endsInNumber(runes: readonly number[], end: number): boolean {
  for (let i = end - 1; i >= 0 && isDigitCode(runes[i] ?? 0); i--) if (runes[i] !== ZERO) return true;
  return false;
}

function readNumber(runes: readonly number[], at: number, start: bigint): { value: bigint; end: number } {
  let value = start;
  let end = at;
  for (; end < runes.length && isDigitCode(runes[end] ?? 0); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt((runes[end] ?? 0) - ZERO));
  }
  return { value, end };
}

const isAscii = (code: number): boolean => code < 0x80;

function isLetterCode(code: number): boolean {
  if (isAscii(code)) return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return /^\p{L}$/u.test(String.fromCodePoint(code));
}

function isDigitCode(code: number): boolean {
  if (isAscii(code)) return code >= ZERO && code <= 0x39;
  return /^\p{Nd}$/u.test(String.fromCodePoint(code));
}

/** In which styles a text can be written. */
interface ScalarAnalysis {
  readonly isMultiline: boolean;
  readonly isPlainAllowed: boolean;
  /** Within `[…]` and `{…}`. */
  readonly isFlowPlainAllowed: boolean;
  readonly isSingleQuotedAllowed: boolean;
  readonly isBlockAllowed: boolean;
}

const FIRST_INDICATORS = new Set('#,[]{}&*!|>\'"%@`');
const FLOW_INDICATORS = new Set(',?[]{}');

/** Whether the emitter writes a character as it is; it escapes those beyond U+FFFF. */
const isPrintable = (code: number): boolean =>
  code === 0x0a ||
  (code >= 0x20 && code <= 0x7e) ||
  (code >= 0xa0 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff);

/** @param hasBlockTabs whether a block may have tabs, as in the later version of the library */
function analyzeScalar(text: string, hasBlockTabs = false): ScalarAnalysis {
  if (text === '') {
    return {
      isMultiline: false,
      isPlainAllowed: true,
      isFlowPlainAllowed: false,
      isSingleQuotedAllowed: true,
      isBlockAllowed: false,
    };
  }
  let hasBlockIndicator = text.startsWith('---') || text.startsWith('...');
  let hasFlowIndicator = hasBlockIndicator;
  let hasBreak = false;
  let hasSpecial = false;
  let hasTab = false;
  let breakThenSpace = false;
  let spaceThenBreak = false;
  let previous: 'space' | 'break' | 'other' = 'other';
  let isAfterBlank = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const char = text.charAt(at);
    const isBeforeBlank = at + 1 >= text.length || text[at + 1] === ' ' || text[at + 1] === '\t';
    if (at === 0 ? FIRST_INDICATORS.has(char) : FLOW_INDICATORS.has(char)) hasFlowIndicator = true;
    if (at === 0 && FIRST_INDICATORS.has(char)) hasBlockIndicator = true;
    if (char === ':' || (at === 0 && char === '?')) {
      hasFlowIndicator = true;
      if (isBeforeBlank) hasBlockIndicator = true;
    }
    if ((at === 0 && char === '-' && isBeforeBlank) || (at > 0 && char === '#' && isAfterBlank)) {
      hasFlowIndicator = true;
      hasBlockIndicator = true;
    }
    if (char === '\t' && hasBlockTabs) hasTab = true;
    else if (!isPrintable(code)) hasSpecial = true;
    if (char === ' ') {
      if (previous === 'break') breakThenSpace = true;
      previous = 'space';
    } else if (isBreak(code)) {
      hasBreak = true;
      if (previous === 'space') spaceThenBreak = true;
      previous = 'break';
    } else previous = 'other';
    isAfterBlank = isBlankOrEnd(code);
  }
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  const hasOuterSpace = first === 0x20 || isBreak(first) || last === 0x20 || isBreak(last);
  const isUnsafe = spaceThenBreak || hasSpecial;
  const isPlain = !hasOuterSpace && !breakThenSpace && !isUnsafe && !hasTab && !hasBreak;
  return {
    isMultiline: hasBreak,
    isPlainAllowed: isPlain && !hasBlockIndicator,
    isFlowPlainAllowed: isPlain && !hasFlowIndicator,
    isSingleQuotedAllowed: !breakThenSpace && !isUnsafe && !hasTab,
    isBlockAllowed: last !== 0x20 && !isUnsafe,
  };
}

/** The text that is written, with the state by which indentation and spaces follow. */
class YamlWriter {
  readonly #parts: string[] = [];
  column = 0;
  /** Of the current block, in columns; -1 at the top. */
  indent = -1;
  /** The last character was white space. */
  #isAfterSpace = true;
  /** Nothing but indentation is in the line. */
  isIndented = true;
  /** Longer lines are broken at the next space. */
  readonly width: number;

  constructor(width: number) {
    this.width = width;
  }

  get text(): string {
    return this.#parts.join('');
  }

  put(text: string): void {
    this.#parts.push(text);
    // A character beyond U+FFFF is one.
    for (const _ of text) this.column++;
  }

  putBreak(text = '\n'): void {
    this.#parts.push(text);
    this.column = 0;
  }

  /** A space, if there is none. */
  separate(): void {
    if (!this.#isAfterSpace) this.put(' ');
    this.isIndented = false;
  }

  /** `-`, `:`, `[` and the like. */
  indicator(
    text: string,
    options: { readonly separate?: boolean; readonly isSpace?: boolean; readonly keepsIndent?: boolean } = {},
  ): void {
    if (options.separate && !this.#isAfterSpace) this.put(' ');
    this.put(text);
    this.#isAfterSpace = options.isSpace ?? false;
    this.isIndented &&= options.keepsIndent ?? false;
  }

  /** Goes to the start of a line with the current indentation. */
  writeIndent(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.isIndented || this.column > indent || (this.column === indent && !this.#isAfterSpace)) {
      this.putBreak();
    }
    if (this.column < indent) this.put(' '.repeat(indent - this.column));
    this.startLine();
  }

  startLine(): void {
    this.#isAfterSpace = true;
    this.isIndented = true;
  }

  endScalar(): void {
    this.#isAfterSpace = false;
    this.isIndented = false;
  }
}
