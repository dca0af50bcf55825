/** The functions for strings. */
import { print } from '../format/print.ts';
import { printf } from '../format/printf.ts';
import { quote } from '../format/quote.ts';
import { Panic } from '../functions/call/failure.ts';
import { chargeText } from '../functions/call/text-builder.ts';
import { toText } from '../functions/convert/cast.ts';
import { replaceAll } from '../functions/strings/split.ts';
import { STRINGS } from '../functions/strings/strings.ts';
import type { Budget } from '../limits/budget.ts';
import { strings } from '../values/create.ts';
import { byteLength, compareText, sliceBytes } from '../values/text.ts';
import { type GoFunctions, GoInteger, GoSlice, type Value } from '../values/value.ts';
import { abbreviateBytes } from './abbreviate.ts';
import { deleteSpace, firstCharacters } from './by-bytes.ts';
import { toPascalCase, toSeparatedCase } from './case-style.ts';
import { titleWords } from './title.ts';
import { ANY_TYPE, textAt, typed } from './typed.ts';
import { uncapitalize } from './uncapitalize.ts';
import { wrapBytes } from './wrap.ts';

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
