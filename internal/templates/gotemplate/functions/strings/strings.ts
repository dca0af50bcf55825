/** The functions for strings, except for those that make random ones. */
import { occurrences } from '../../../../framework/base/text/search.ts';
import type { Budget } from '../../budget.ts';
import { print } from '../../format/printf.ts';
import { quote } from '../../format/quote.ts';
import { byteLength, compareText, normalize, runes, sliceBytes, toBytes } from '../../values/text.ts';
import { GoSlice, stringMap, strings, type Value } from '../../values/value.ts';
import { castToText, toText } from '../convert/cast.ts';
import {
  ANY,
  type Body,
  chargeText,
  counted,
  fixed,
  INT,
  Panic,
  STRING,
  TextBuilder,
  variadic,
} from '../define.ts';
import {
  characters,
  isDigit,
  isLetter,
  isLower,
  isSpace,
  isUpper,
  lower,
  mapCharacters,
  toLower,
  toUpper,
  upper,
} from './runes.ts';
import { bytewise, replaceAll, split } from './split.ts';
import { titleCase } from './title.ts';

// `camelcase`, `snakecase` and `kebabcase`, by the rules of sprout.

/** Words with a capital letter each, without separator: `FooBar`. */
function camelCase(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  const result = new TextBuilder(budget);
  let isWordStart = true;
  let hadLetter = false;
  for (const rune of counted(characters(text), budget)) {
    if (isSeparator(rune)) {
      if (hadLetter) isWordStart = true;
      continue;
    }
    result.append(isWordStart ? toUpper(rune) : rune);
    isWordStart = false;
    hadLetter ||= isLetter(rune);
  }
  return result.toString();
}

/** Words in lower case with a separator between them: `foo_bar_2`. */
function separatedCase(text: string, separator: '_' | '-', budget: Budget): string {
  chargeText(budget, text.length);
  const result = new TextBuilder(budget);
  const bytes = toBytes(text);
  let at = 0;
  let last = '';
  let next = '';
  for (const rune of counted(charactersWithWidth(text), budget)) {
    // sprout looks at the next byte, not at the next character; at the end it is still the one before.
    if (at + 1 < bytes.length) next = String.fromCharCode(bytes[at + 1] ?? 0);
    at += rune.width;
    if (isSeparator(rune.text)) {
      if (last !== separator) result.append(separator);
      last = separator;
      continue;
    }
    if (isUpper(rune.text) && result.length > 0 && last !== separator) {
      if ((isUpper(last) && isLower(next)) || isLower(last)) result.append(separator);
    }
    if (last !== separator && isDigit(rune.text) && !isDigit(last)) result.append(separator);
    result.append(toLower(rune.text));
    last = rune.text;
  }
  return result.toString();
}

const isSeparator = (rune: string): boolean => rune === ' ' || rune === '-' || rune === '_';

function* charactersWithWidth(text: string): Generator<{ text: string; width: number }> {
  for (const char of text) {
    const [rune = ''] = characters(char);
    yield { text: rune, width: byteLength(char) };
  }
}

/** Characters at the end after which the budget is checked. */
const CHECKED_AT = 256;

/** Removes the characters at both ends for which `isCut` holds. */
function trimCharacters(text: string, isCut: (rune: string) => boolean, budget: Budget): string {
  chargeText(budget, text.length);
  let start = 0;
  for (const char of counted(text, budget)) {
    const [rune = ''] = characters(char);
    if (!isCut(rune)) break;
    start += char.length;
  }
  let end = text.length;
  while (end > start) {
    if (end % CHECKED_AT === 0) budget.step(CHECKED_AT);
    const char = String.fromCodePoint(text.codePointAt(end - 2) ?? 0);
    const last = end - 2 >= start && char.length === 2 ? char : (text[end - 1] ?? '');
    const [rune = ''] = characters(last);
    if (!isCut(rune)) break;
    end -= last.length;
  }
  return text.slice(start, end);
}

const trimSpace = (text: string, budget: Budget): string => trimCharacters(text, isSpace, budget);

/** @param cutset characters to remove, in any order */
function trimAll(text: string, cutset: string, budget: Budget): string {
  const cut = new Set(characters(cutset));
  return trimCharacters(text, (rune) => cut.has(rune), budget);
}

const trimPrefix = (text: string, prefix: string): string =>
  bytewise([text, prefix], ([whole = '', start = ''], back) =>
    whole.startsWith(start) ? back(whole.slice(start.length)) : text,
  );

const trimSuffix = (text: string, suffix: string): string =>
  bytewise([text, suffix], ([whole = '', end = ''], back) =>
    whole.endsWith(end) ? back(whole.slice(0, whole.length - end.length)) : text,
  );

/** The words of a text, without the white space between them. */
function fields(text: string, budget: Budget): string[] {
  chargeText(budget, text.length);
  const words: string[] = [];
  let word = '';
  for (const char of counted(text, budget)) {
    if (!isSpace(char)) word += char;
    else if (word !== '') {
      budget.step();
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}

/**
 * Breaks a text into lines by sprout's rules.
 *
 * @param width characters in a line, at least 1
 * @param breaksWords whether words that are longer are broken
 */
function wrap(text: string, width: number, lineBreak: string, breaksWords: boolean, budget: Budget): string {
  const result = new TextBuilder(budget);
  let column = 0;
  for (const word of fields(text, budget)) {
    const length = countRunes(word, budget);
    if (column > 0 && column + 1 + length > width) {
      result.append(lineBreak);
      column = 0;
    }
    if (breaksWords && length > width) {
      column = appendBroken(result, word, column, width, lineBreak, budget);
      continue;
    }
    if (column > 0) {
      result.append(' ');
      column++;
    }
    result.append(word);
    column += length;
  }
  return result.toString();
}

/** Returns the column after the word. */
function appendBroken(
  result: TextBuilder,
  word: string,
  start: number,
  width: number,
  lineBreak: string,
  budget: Budget,
): number {
  let column = start;
  let byte = 0;
  const bytes = byteLength(word);
  for (const char of counted(word, budget)) {
    const [rune = ''] = characters(char);
    result.append(rune);
    column++;
    // sprout compares the position of the first byte: after a last character of several bytes there is a break too.
    if (byte < bytes - 1 && column === width) {
      result.append(lineBreak);
      column = 0;
    }
    byte += byteLength(char);
  }
  return column;
}

function countRunes(text: string, budget: Budget): number {
  let count = 0;
  for (const _ of counted(runes(text), budget)) count++;
  return count;
}

const ELLIPSIS = '...';

/** Slots that Go reserves for the characters of a short text; beyond the text they are NUL. */
const RESERVED_RUNES = 32;

/** `abbrev`, and with an offset `abbrevboth`: at most `width` characters, with an ellipsis for what is left out. */
function abbreviate(text: string, offset: number, width: number, budget: Budget): string {
  if (width < 4 || (offset > 0 && width < 7)) return text;
  chargeText(budget, text.length);
  const count = countRunes(text, budget);
  if (count <= width || count <= offset) {
    const length = byteLength(text);
    if (offset < 0 || offset > length) {
      throw new Panic(`runtime error: slice bounds out of range [${offset}:${offset < 0 ? '' : length}]`);
    }
    return sliceBytes(text, offset);
  }
  const end = offset + width - (offset > 0 ? 2 : 1) * ELLIPSIS.length;
  const chars = [...counted(characters(text), budget)];
  while (chars.length < RESERVED_RUNES) chars.push('\0');
  if (offset < 0 || offset > end || end > chars.length) {
    throw new Panic(`runtime error: slice bounds out of range [${offset}:${end}]`);
  }
  return (offset > 0 ? ELLIPSIS : '') + chars.slice(offset, end).join('') + ELLIPSIS;
}

/** The first byte of each word between spaces, as a character; NUL for one that is no letter, except for the first. */
function initials(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, i) => {
      const first = Buffer.from([firstByte(word)]).toString('latin1');
      return i === 0 || isLetter(first) ? first : '\0';
    })
    .join('');
}

const firstByte = (word: string): number => toBytes(word.slice(0, 2))[0] ?? 0;

const ofText = (change: (text: string, budget: Budget) => Value): Body =>
  fixed([STRING], ([text], { budget }) => change(text, budget));

const ofTwo = (operation: (one: string, text: string, budget: Budget) => Value): Body =>
  fixed([STRING, STRING], ([one, text], { budget }) => operation(one, text, budget));

/** The texts of the elements of a list, without nil; other values are a list of one. */
function textsOf(value: Value, budget: Budget): GoSlice {
  if (value === null) return strings([]);
  if (!(value instanceof GoSlice)) return strings([castToText(value, budget)]);
  if (value.elementType === 'string') return value;
  budget.step(value.items.length);
  const texts = value.items.filter((item) => item !== null).map((item) => castToText(item, budget));
  return new GoSlice('string', texts, texts.length === 0);
}

const asTexts = (list: GoSlice): string[] => list.items.map((item) => (typeof item === 'string' ? item : ''));

const join = fixed([STRING, ANY], ([separator, value], { budget }) => {
  const result = new TextBuilder(budget);
  for (const [i, text] of asTexts(textsOf(value, budget)).entries()) {
    budget.step();
    if (i > 0) result.append(separator);
    result.append(text);
  }
  return result.toString();
});

const sortAlpha = fixed([ANY], ([value], { budget }) => {
  if (!(value instanceof GoSlice)) return strings([toText(value, budget)]);
  const texts = textsOf(value, budget);
  budget.step(texts.items.length * Math.ceil(Math.log2(texts.items.length + 1)));
  return new GoSlice('string', asTexts(texts).sort(compareText), texts.isNil);
});

const repeat = fixed([INT, STRING], ([count, text], { budget }) => {
  if (count < 0n) throw new Panic('strings: negative Repeat count');
  chargeText(budget, Number(count) * text.length);
  return normalize(text.repeat(Number(text === '' ? 0 : count)));
});

const trunc = fixed([INT, STRING], ([count, text]) => {
  const length = BigInt(byteLength(text));
  if (count < 0n && length + count > 0n) return sliceBytes(text, Number(length + count));
  return count >= 0n && length > count ? sliceBytes(text, 0, Number(count)) : text;
});

const substr = fixed([INT, INT, STRING], ([start, end, text]) => {
  const length = BigInt(byteLength(text));
  const fromStart = (index: bigint) => (index < 0n ? index + length : index);
  const from = fromStart(start) < 0n ? 0n : fromStart(start);
  const to = fromStart(end) > length ? length : fromStart(end);
  return from > to ? '' : sliceBytes(text, Number(from), Number(to));
});

function indent(spaces: bigint, text: string, budget: Budget): string {
  if (spaces < 0n) throw new Panic('strings: negative Repeat count');
  budget.charge(Number(spaces));
  const padding = ' '.repeat(Number(spaces));
  const result = new TextBuilder(budget);
  for (const [i, line] of split(text, '\n', -1, budget).entries()) {
    if (i > 0) result.append('\n');
    result.append(padding);
    result.append(line);
  }
  return result.toString();
}

/** Texts of all values but nil, with a space before each but the first argument. */
function spaced(values: readonly Value[], budget: Budget, form: (text: string) => string): string {
  const result = new TextBuilder(budget);
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    if (i > 0) result.append(' ');
    result.append(form(print([value], budget)));
  }
  return result.toString();
}

const includes = (whole: string, search: string): boolean =>
  search === '' || occurrences(whole, search).next().done !== true;

const spacedBy = (form: (text: string) => string): Body =>
  variadic([], ANY, (_, values, { budget }) => spaced(values, budget, form));

/** Parts by `_0`, `_1` … */
const numbered = (parts: readonly string[]): Value =>
  stringMap(parts.map((part, i): [string, string] => [`_${i}`, part]));

/** Limits beyond it do not differ. */
const clampLimit = (limit: bigint): number => Math.max(-1, Math.min(Number(limit), 2 ** 31));

export const STRINGS = {
  abbrev: fixed([INT, STRING], ([width, text], { budget }) => abbreviate(text, 0, Number(width), budget)),
  abbrevboth: fixed([INT, INT, STRING], ([offset, width, text], { budget }) =>
    abbreviate(text, Number(offset), Number(width), budget),
  ),
  camelcase: ofText(camelCase),
  cat: spacedBy((text) => text),
  contains: ofTwo((part, text) =>
    bytewise([text, part], ([whole = '', search = '']) => includes(whole, search)),
  ),
  hasPrefix: ofTwo((part, text) =>
    bytewise([text, part], ([whole = '', start = '']) => whole.startsWith(start)),
  ),
  hasSuffix: ofTwo((part, text) => bytewise([text, part], ([whole = '', end = '']) => whole.endsWith(end))),
  hello: fixed([], () => 'Hello!'),
  indent: fixed([INT, STRING], ([spaces, text], { budget }) => indent(spaces, text, budget)),
  initials: ofText(initials),
  join,
  kebabcase: ofText((text, budget) => separatedCase(text, '-', budget)),
  lower: ofText(lower),
  nindent: fixed([INT, STRING], ([spaces, text], { budget }) => `\n${indent(spaces, text, budget)}`),
  nospace: ofText((text, budget) => mapCharacters(text, (rune) => (isSpace(rune) ? '' : rune), budget)),
  plural: fixed([STRING, STRING, INT], ([one, many, count]) => (count === 1n ? one : many)),
  quote: spacedBy((text) => quote(text)),
  replace: fixed([STRING, STRING, STRING], ([old, replacement, text], { budget }) =>
    replaceAll(text, old, replacement, budget),
  ),
  repeat,
  snakecase: ofText((text, budget) => separatedCase(text, '_', budget)),
  sortAlpha,
  split: ofTwo((separator, text, budget) => numbered(split(text, separator, -1, budget))),
  splitList: ofTwo((separator, text, budget) => strings(split(text, separator, -1, budget))),
  splitn: fixed([STRING, INT, STRING], ([separator, limit, text], { budget }) =>
    numbered(split(text, separator, clampLimit(limit), budget)),
  ),
  squote: spacedBy((text) => `'${text}'`),
  substr,
  swapcase: ofText((text, budget) =>
    mapCharacters(text, (rune) => (isLower(rune) ? toUpper(rune) : toLower(rune)), budget),
  ),
  title: ofText(titleCase),
  toString: fixed([ANY], ([value], { budget }) => toText(value, budget)),
  toStrings: fixed([ANY], ([value], { budget }) => textsOf(value, budget)),
  trim: ofText(trimSpace),
  trimAll: ofTwo((cutset, text, budget) => trimAll(text, cutset, budget)),
  trimPrefix: ofTwo((prefix, text) => trimPrefix(text, prefix)),
  trimSuffix: ofTwo((suffix, text) => trimSuffix(text, suffix)),
  trunc,
  untitle: ofText((text, budget) => {
    let isStart = true;
    return mapCharacters(
      text,
      (rune) => {
        const changed = isStart ? toLower(rune) : rune;
        isStart = isSpace(rune);
        return isStart ? rune : changed;
      },
      budget,
    );
  }),
  upper: ofText(upper),
  wrap: fixed([INT, STRING], ([width, text], { budget }) =>
    wrap(text, Math.max(1, Number(width)), '\n', false, budget),
  ),
  wrapWith: fixed([INT, STRING, STRING], ([width, lineBreak, text], { budget }) =>
    wrap(text, Math.max(1, Number(width)), lineBreak || '\n', true, budget),
  ),
} satisfies Record<string, Body>;
