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

/*
 * Title case as golang.org/x/text/cases makes it for English: the first cased letter of each word becomes a title-case
 * letter, all others lower-case ones. Words end where a character is neither letter, digit, mark, nor between letters.
 */

const CASED = /^\p{Cased}$/u;
const CASE_IGNORABLE = /^\p{Case_Ignorable}$/u;
/** Between two letters they do not end a word; two of them do. */
const MID = /^['.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]$/;
const LETTER =
  /^[\p{Alphabetic}\p{Nd}\p{M}\p{Cf}\p{Pc}\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\u066b\u202f\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]$|^\p{Emoji_Modifier}$/u;
/** Scripts without spaces between words: each of their letters ends a word. */
const WITHOUT_SPACES =
  /^(?=[\p{L}\p{Nl}\p{Nd}])[\p{Ideographic}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}]$|^[\u200b\u30fc\uff70]$/u;
const DIGIT = /^\p{Nd}$/u;

const isMid = (char: string): boolean => MID.test(char);
const endsWord = (char: string): boolean =>
  !isMid(char) && (!LETTER.test(char) || (WITHOUT_SPACES.test(char) && !DIGIT.test(char)));

/** Characters after which the budget is checked. */
const TITLE_CHECKED_AT = 512;

/** Characters that one capital sigma looks ahead. */
const MAX_IGNORABLE = 31;

function titleCase(text: string, budget: Budget): string {
  chargeText(budget, text.length * 4);
  const chars = [...text];
  let title = '';
  let isInWord = false;
  let wasMid = false;
  for (let at = 0; at < chars.length; at++) {
    if (at % TITLE_CHECKED_AT === 0) budget.step(TITLE_CHECKED_AT);
    const char = chars[at] ?? '';
    if (wasMid && isMid(char)) isInWord = false;
    wasMid = isMid(char);
    if (!CASED.test(char)) {
      title += char;
      if (endsWord(char)) isInWord = false;
    } else if (!isInWord) {
      title += titleLetter(char);
      isInWord = true;
    } else if (char === '\u03a3') {
      const ignored = ignorableAfter(chars, at);
      const isFinal = !CASED.test(chars[at + ignored.length + 1] ?? '') || ignored.length >= MAX_IGNORABLE;
      title += isFinal ? '\u03c2' : '\u03c3';
      for (const next of ignored) {
        if ((wasMid && isMid(next)) || endsWord(next)) isInWord = false;
        wasMid = isMid(next);
        title += next;
      }
      at += ignored.length;
      wasMid = false;
    } else title += char.toLowerCase();
  }
  return title;
}

function ignorableAfter(chars: readonly string[], at: number): string[] {
  const ignored: string[] = [];
  for (let next = at + 1; ignored.length < MAX_IGNORABLE; next++) {
    const char = chars[next];
    if (char === undefined || !CASE_IGNORABLE.test(char)) break;
    ignored.push(char);
  }
  return ignored;
}

/** Digraphs of which only the first letter is a capital one, by the first of each three. */
const DIGRAPHS: readonly number[] = [0x1c4, 0x1c7, 0x1ca, 0x1f1];

function titleLetter(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const digraph = DIGRAPHS.find((first) => code >= first && code <= first + 2);
  if (digraph !== undefined) return String.fromCharCode(digraph + 1);
  // Georgian letters have capitals for texts in capitals only. U+0149 is an apostrophe and a letter.
  if (code >= 0x10d0 && code <= 0x10ff) return char;
  const upper = char.toUpperCase();
  if (code === 0x149) return upper;
  // A small iota stays below its letter.
  if (code >= 0x1f80 && code <= 0x1fff && upper.endsWith('\u0399') && upper.length > 1) {
    return `${upper.slice(0, -1)}\u0345`.normalize('NFC');
  }
  const [first = '', ...others] = upper;
  return first + others.join('').toLowerCase();
}
