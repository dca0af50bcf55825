/** The functions for strings. */
import type { Budget } from '../budget.ts';
import { print, printf } from '../format/printf.ts';
import { quote } from '../format/quote.ts';
import { toText } from '../functions/convert/cast.ts';
import { chargeText, counted, Panic, TextBuilder } from '../functions/define.ts';
import {
  characters,
  isLetter,
  isUpper,
  mapCharacters,
  toLower,
  toUpper,
} from '../functions/strings/runes.ts';
import { replaceAll } from '../functions/strings/split.ts';
import { STRINGS } from '../functions/strings/strings.ts';
import { byteLength, compareText, fromBytes, sliceBytes, toBytes } from '../values/text.ts';
import { type GoFunctions, GoInteger, GoSlice, strings, type Value } from '../values/value.ts';
import { ANY_TYPE, textAt, typed } from './typed.ts';

const integerAt = (args: readonly Value[], index: number): bigint => {
  const value = args[index];
  return value instanceof GoInteger ? value.value : 0n;
};

/** The text of any value. */
export const strval = (value: Value, budget: Budget): string => toText(value, budget);

/** The texts of the elements of a list, without nil; other values are a list of one. */
function strslice(value: Value, budget: Budget): string[] {
  if (value === null) return [];
  if (!(value instanceof GoSlice)) return [strval(value, budget)];
  budget.step(value.items.length);
  return value.items.filter((item) => item !== null).map((item) => strval(item, budget));
}

function joinTexts(texts: readonly string[], separator: string, budget: Budget): string {
  chargeText(
    budget,
    texts.reduce((sum, text) => sum + text.length + separator.length, 0),
  );
  return texts.join(separator);
}

const known = (values: readonly Value[]): Value[] => values.filter((value) => value !== null);

function indent(spaces: bigint, text: string, budget: Budget): string {
  if (spaces < 0n) throw new Panic('strings: negative Repeat count');
  budget.charge(Number(spaces));
  const padding = ' '.repeat(Number(spaces));
  return padding + replaceAll(text, '\n', `\n${padding}`, budget);
}

function substring(start: bigint, end: bigint, text: string): string {
  const length = BigInt(byteLength(text));
  const from = start < 0n ? 0n : start;
  const to = start >= 0n && (end < 0n || end > length) ? length : end;
  if (to > length || to < 0n) {
    throw new Panic(
      `runtime error: slice bounds out of range [:${to}]${to < 0n ? '' : ` with length ${length}`}`,
    );
  }
  if (from > to) throw new Panic(`runtime error: slice bounds out of range [${from}:${to}]`);
  return sliceBytes(text, Number(from), Number(to));
}

const text = ['string'];
const twoTexts = ['string', 'string'];

export const STRING_FUNCTIONS: GoFunctions = {
  abbrev: typed(['int', 'string'], (args) => abbreviateBytes(textAt(args, 1), 0n, integerAt(args, 0))),
  abbrevboth: typed(['int', 'int', 'string'], (args) => {
    const [left, right] = [integerAt(args, 0), integerAt(args, 1)];
    const whole = textAt(args, 2);
    return right < 4n || (left > 0n && right < 7n) ? whole : abbreviateBytes(whole, left, right);
  }),
  camelcase: typed(text, (args, { budget }) => toPascalCase(textAt(args, 0), budget)),
  cat: typed(
    [],
    (args, { budget }) => {
      const values = known(args);
      return printf(values.map(() => '%v').join(' '), values, budget);
    },
    { variadic: ANY_TYPE },
  ),
  contains: typed(twoTexts, STRINGS.contains),
  hasPrefix: typed(twoTexts, STRINGS.hasPrefix),
  hasSuffix: typed(twoTexts, STRINGS.hasSuffix),
  hello: typed([], STRINGS.hello),
  indent: typed(['int', 'string'], (args, { budget }) => indent(integerAt(args, 0), textAt(args, 1), budget)),
  initials: typed(text, (args, { budget }) => firstCharacters(textAt(args, 0), budget)),
  join: typed(['string', ANY_TYPE], ([separator, value = null], { budget }) =>
    joinTexts(strslice(value, budget), typeof separator === 'string' ? separator : '', budget),
  ),
  kebabcase: typed(text, (args, { budget }) => toSeparatedCase(textAt(args, 0), '-', budget)),
  lower: typed(text, STRINGS.lower),
  nindent: typed(
    ['int', 'string'],
    (args, { budget }) => `\n${indent(integerAt(args, 0), textAt(args, 1), budget)}`,
  ),
  nospace: typed(text, (args, { budget }) => deleteSpace(textAt(args, 0), budget)),
  plural: typed(['string', 'string', 'int'], STRINGS.plural),
  quote: typed(
    [],
    (args, { budget }) =>
      joinTexts(
        known(args).map((value) => quote(strval(value, budget))),
        ' ',
        budget,
      ),
    { variadic: ANY_TYPE },
  ),
  repeat: typed(['int', 'string'], STRINGS.repeat),
  replace: typed(['string', 'string', 'string'], STRINGS.replace),
  snakecase: typed(text, (args, { budget }) => toSeparatedCase(textAt(args, 0), '_', budget)),
  sortAlpha: typed([ANY_TYPE], ([value = null], { budget }) => {
    if (!(value instanceof GoSlice)) return strings([strval(value, budget)]);
    const texts = strslice(value, budget);
    budget.step(texts.length * Math.ceil(Math.log2(texts.length + 1)));
    return strings(texts.sort(compareText));
  }),
  split: typed(twoTexts, STRINGS.split),
  splitList: typed(twoTexts, STRINGS.splitList),
  splitn: typed(['string', 'int', 'string'], STRINGS.splitn),
  squote: typed(
    [],
    (args, { budget }) =>
      joinTexts(
        known(args).map((value) => `'${print([value], budget)}'`),
        ' ',
        budget,
      ),
    { variadic: ANY_TYPE },
  ),
  substr: typed(['int', 'int', 'string'], (args) =>
    substring(integerAt(args, 0), integerAt(args, 1), textAt(args, 2)),
  ),
  swapcase: typed(text, STRINGS.swapcase),
  title: typed(text, (args, { budget }) => titleWords(textAt(args, 0), budget)),
  toString: typed([ANY_TYPE], ([value = null], { budget }) => strval(value, budget)),
  toStrings: typed([ANY_TYPE], ([value = null], { budget }) => strings(strslice(value, budget))),
  trim: typed(text, STRINGS.trim),
  trimAll: typed(twoTexts, STRINGS.trimAll),
  trimPrefix: typed(twoTexts, STRINGS.trimPrefix),
  trimSuffix: typed(twoTexts, STRINGS.trimSuffix),
  trimall: typed(twoTexts, STRINGS.trimAll),
  trunc: typed(['int', 'string'], STRINGS.trunc),
  untitle: typed(text, (args, { budget }) => uncapitalize(textAt(args, 0), budget)),
  upper: typed(text, STRINGS.upper),
  wrap: typed(['int', 'string'], (args, { budget }) =>
    wrapBytes(textAt(args, 1), integerAt(args, 0), '', false, budget),
  ),
  wrapWith: typed(['int', 'string', 'string'], (args, { budget }) =>
    wrapBytes(textAt(args, 2), integerAt(args, 0), textAt(args, 1), true, budget),
  ),
};

/** The first letter of each word in lower case. */
function uncapitalize(text: string, budget: Budget): string {
  let isStart = true;
  return mapCharacters(
    text,
    (rune) => {
      const isSpace = /^\p{White_Space}$/u.test(rune);
      const changed = isStart && !isSpace ? toLower(rune) : rune;
      isStart = isSpace;
      return changed;
    },
    budget,
  );
}

/** At most `width` bytes of a text, from about an offset, with an ellipsis for what is left out. */
function abbreviateBytes(text: string, offset: bigint, width: bigint): string {
  if (width < 4n || text === '') return text;
  const length = BigInt(byteLength(text));
  if (length <= width) return text;
  const kept = width - 3n;
  let from = offset > length ? length : offset;
  if (length - from < kept) from = length - kept;
  const slice = (start: bigint, end: bigint) => sliceBytes(text, Number(start), Number(end));
  if (from <= 4n) return `${slice(0n, kept)}...`;
  if (width < 7n) return '';
  if (from + kept < length) return `...${abbreviateOrNothing(slice(from, length), kept)}`;
  return `...${slice(length - kept, length)}`;
}

const abbreviateOrNothing = (text: string, width: bigint): string =>
  width < 4n ? '' : abbreviateBytes(text, 0n, width);

/** The first letter of each word in upper case; what is no letter, digit or underscore separates words. */
function titleWords(text: string, budget: Budget): string {
  let isAfterSeparator = true;
  return mapCharacters(
    text,
    (rune) => {
      const changed = isAfterSeparator ? toUpper(rune) : rune;
      isAfterSeparator = isSeparator(rune);
      return changed;
    },
    budget,
  );
}

function isSeparator(rune: string): boolean {
  if (/^[\0-\x7f]$/.test(rune)) return !/^\w$/.test(rune);
  return /^[^\p{L}\p{Nd}]$/u.test(rune) && /^\p{White_Space}$/u.test(rune);
}

// Functions that take each byte of a text for a character, as the library goutils of Go does.

/** The bytes as characters of U+0000 to U+00FF. */
function byteCharacters(text: string, budget: Budget): string {
  chargeText(budget, text.length * 2);
  return toBytes(text).toString('latin1');
}

const SPACE = /[\t-\r \u0085\u00a0]/;

/** Without white space; a text that has none stays as it is. */
function deleteSpace(text: string, budget: Budget): string {
  const characters = byteCharacters(text, budget);
  const kept = characters.replace(/[\t-\r \u0085\u00a0]/g, '');
  return kept.length === characters.length ? text : kept;
}

/** The first character of each word. */
function firstCharacters(text: string, budget: Budget): string {
  let result = '';
  let isStart = true;
  for (const char of byteCharacters(text, budget)) {
    const isSpace = SPACE.test(char);
    if (!isSpace && isStart) result += char;
    isStart = isSpace;
  }
  return result;
}

/**
 * Breaks a text into lines of `width` bytes at spaces. Bytes count, and line breaks in the text do not end a line.
 *
 * @param lineBreak empty: `\n`
 * @param breaksWords whether words that are longer than a line are broken
 */
function wrapBytes(
  text: string,
  width: bigint,
  lineBreak: string,
  breaksWords: boolean,
  budget: Budget,
): string {
  const bytes = toBytes(text).toString('latin1');
  const separator = toBytes(lineBreak === '' ? '\n' : lineBreak).toString('latin1');
  const size = Math.max(1, Math.min(Number(width), 2 ** 31));
  chargeText(budget, bytes.length);
  const out = new TextBuilder(budget);
  let at = 0;
  while (bytes.length - at > size) {
    budget.step();
    if (bytes[at] === ' ') {
      at++;
      continue;
    }
    const space = bytes.lastIndexOf(' ', at + size);
    const end = space >= at ? space : breaksWords ? at + size : bytes.indexOf(' ', at + size);
    if (end < 0) {
      out.append(bytes.slice(at));
      at = bytes.length;
    } else {
      out.append(bytes.slice(at, end));
      out.append(separator);
      at = end + (space < at && breaksWords ? 0 : 1);
    }
  }
  out.append(bytes.slice(at));
  return fromBytes(Buffer.from(out.toString(), 'latin1'));
}

/* `camelcase`, `snakecase` and `kebabcase`, by the rules of the library xstrings of Go. */

const isConnector = (rune: string): boolean =>
  rune === '-' || rune === '_' || /^\p{White_Space}$/u.test(rune);

/** Words with a capital letter each: `FooBar`. Connectors at the start stay, and all but one between words. */
function toPascalCase(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  const out = new TextBuilder(budget);
  const runes = [...counted(characters(text), budget)];
  const first = runes.findIndex((rune) => !isConnector(rune));
  // The library writes the last of several connectors twice when nothing follows.
  if (first < 0) return runes.join('') + (runes.at(-1) ?? '');
  for (const rune of runes.slice(0, first)) out.append(rune);
  let wasUpper = isUpper(runes[first] ?? '');
  let previous = '';
  let current = toUpper(runes[first] ?? '');
  for (const rune of counted(runes.slice(first + 1), budget)) {
    previous = current;
    current = rune;
    if (isConnector(current) && isConnector(previous)) {
      out.append(previous);
      continue;
    }
    if (isConnector(previous)) {
      wasUpper = isUpper(current);
      current = toUpper(current);
      continue;
    }
    if (wasUpper) {
      if (isUpper(current)) current = toLower(current);
      else wasUpper = false;
    }
    out.append(previous);
  }
  out.append(current);
  return out.toString();
}

type WordType = 'none' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly type: WordType;
  readonly text: string;
}

const END: Word = { type: 'none', text: '' };

/** Words in lower case with a connector between them. */
function toSeparatedCase(text: string, connector: '_' | '-', budget: Budget): string {
  chargeText(budget, text.length * 2);
  const out = new TextBuilder(budget);
  // Words are parts of the text: bytes that are not UTF-8 stay.
  const words = splitWords([...counted(text, budget)]);
  let next = 0;
  const take = (): Word => words[next++] ?? END;
  const isLast = () => next >= words.length;
  const write = ({ type, text: word }: Word) => {
    if (type === 'connector') out.append(connector.repeat([...word].length));
    else out.append(type === 'upper' ? Array.from(word, toLower).join('') : word);
  };
  const separate = ({ type }: Word) => {
    if (type !== 'none' && type !== 'connector' && type !== 'punctuation') out.append(connector);
  };
  /** Letters and numbers behind a number belong to it. */
  const writeRun = (from: Word): Word => {
    let word = from;
    while (word.type === 'alphabet' || word.type === 'number') {
      write(word);
      word = take();
    }
    separate(word);
    return word;
  };
  let word = take();
  while (!isLast()) {
    if (word.type !== 'connector') write(word);
    const last = word;
    word = take();
    if (last.type === 'number') word = writeRun(word);
    else if (last.type === 'connector') write(last);
    else if (last.type !== 'punctuation') {
      if (word.type !== 'number') {
        if (word.type !== 'connector' && word.type !== 'punctuation') out.append(connector);
      } else if (!isLast()) {
        const number = word;
        word = take();
        if (word.type === 'alphabet') {
          out.append(connector);
          write(number);
          word = writeRun(word);
        } else {
          write(number);
          if (word.type !== 'connector' && word.type !== 'punctuation') out.append(connector);
        }
      }
    }
  }
  write(word);
  return out.toString();
}

const isPunctuation = (rune: string): boolean => /^\p{P}$/u.test(rune);
const isNumber = (rune: string): boolean => /^\p{N}$/u.test(rune);

/** Chinese characters do not count. */
const isAlphabet = (rune: string): boolean =>
  isLetter(rune) && !/^[\u4e00-\u9fcc\u3400-\u4d85\u{20000}-\u{2b81d}]$/u.test(rune);

function splitWords(runes: readonly string[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < runes.length; ) {
    const type = typeOf(runes[at] ?? '');
    const end = endOfWord(runes, at, type);
    words.push({ type, text: runes.slice(at, end).join('') });
    at = end;
  }
  return words;
}

function typeOf(rune: string): WordType {
  if (isConnector(rune)) return 'connector';
  if (isPunctuation(rune)) return 'punctuation';
  if (isUpper(rune)) return 'upper';
  if (isAlphabet(rune)) return 'alphabet';
  return isNumber(rune) ? 'number' : 'other';
}

function endOfWord(runes: readonly string[], start: number, type: WordType): number {
  const passOver = (from: number, fits: (rune: string) => boolean): number => {
    let at = from;
    while (at < runes.length && fits(runes[at] ?? '')) at++;
    return at;
  };
  const isSmall = (rune: string) => isAlphabet(rune) && !isUpper(rune);
  switch (type) {
    case 'connector':
      return passOver(start, isConnector);
    case 'punctuation':
      return passOver(start, isPunctuation);
    case 'number':
      return passOver(start, isNumber);
    case 'alphabet':
      return passOver(start + 1, isSmall);
    case 'upper': {
      const end = passOver(start + 1, isUpper);
      if (end === start + 1) return passOver(end, isSmall);
      // In `HTTPStatus` the S belongs to the second word.
      return end < runes.length && isAlphabet(runes[end] ?? '') ? end - 1 : end;
    }
    default:
      return passOver(start + 1, (rune) => typeOf(rune) === 'other');
  }
}
