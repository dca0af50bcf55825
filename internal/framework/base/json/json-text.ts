/** JSON texts that others wrote: parsed within limits, with integers that a number would round, and the text of their parts. */

/** Limits of a JSON text, checked before it is parsed. */
export interface JsonLimits {
  /** Characters. */
  readonly maxLength: number;
  /** Nested objects and arrays; default 32. */
  readonly maxDepth?: number;
  /**
   * Objects, arrays, fields and elements together. Each takes ten bytes of memory or more, so that a small text
   * (`[[],[],…`) can become a large value. Default 20,000.
   */
  readonly maxValues?: number;
  /** Integers beyond 2^53 are parsed as `rawNumber`. Default false: they are rounded. */
  readonly rawNumbers?: boolean;
}

/** The text exceeds a limit. The message completes `is a JSON text …` and quotes nothing. */
export class JsonLimitError extends Error {}

/**
 * JSON.parse for untrusted texts. A number that is too large is refused: it would be parsed as infinity, which `JSON.stringify` writes as
 * null, so that a value which is stored would never be the one that is wanted.
 *
 * @throws JsonLimitError, for all but such numbers before anything is parsed; SyntaxError, whose message may quote the text
 */
export function parseBoundedJson(text: string, limits: JsonLimits): unknown {
  const { mayOverflow } = assertWithin(text, limits);
  const value: unknown = limits.rawNumbers ? parseRawNumbers(text) : JSON.parse(text);
  if (mayOverflow) assertFinite(value);
  return value;
}

function assertFinite(root: unknown): void {
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      throw new JsonLimitError('with a number that is too large');
    if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) open.push(member);
  }
}

/** The largest number has 309. */
const MAX_DIGITS = 300;
const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
/** Of an exponent; the letter is in `true` and `false` as well. */
const isExponent = (code: number, next: number): boolean =>
  (code === 0x45 || code === 0x65) && (next === PLUS || isDigit(next));

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts in one loop over the characters outside of strings. Invalid JSON is left to the parser. */
function assertWithin(
  text: string,
  { maxLength, maxDepth = 32, maxValues = 20_000 }: JsonLimits,
): { readonly mayOverflow: boolean } {
  if (text.length > maxLength) throw new JsonLimitError(`of more than ${maxLength} characters`);
  let depth = 0;
  let values = 0;
  let digits = 0;
  let mayOverflow = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    digits = isDigit(code) ? digits + 1 : 0;
    if (digits > MAX_DIGITS || isExponent(code, text.charCodeAt(at + 1))) mayOverflow = true;
    switch (code) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values++;
        if (++depth > maxDepth) throw new JsonLimitError(`that is nested deeper than ${maxDepth} levels`);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
      case COLON:
        values++;
        break;
    }
    if (values > maxValues) throw new JsonLimitError(`of more than ${maxValues} values`);
  }
  return { mayOverflow };
}

/** The index of the quote that ends the string from `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Integers beyond 2^53, which a number would round: IDs of 64 bits. They are what `JSON.rawJSON` returns: `JSON.stringify` writes their
 * digits.
 */
interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
/** Not in the types of the language yet. */
const json = JSON as typeof JSON & RawJson;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Whether a number would round the integer of the text. */
export const isBeyondNumber = (text: string): boolean =>
  INTEGER.test(text) && !Number.isSafeInteger(Number(text));

/** @param digits for which `isBeyondNumber` is true */
export const rawNumber = (digits: string): object => json.rawJSON(digits);

/** The digits of such an integer; undefined for any other value. */
export const digitsOf = (value: unknown): string | undefined =>
  json.isRawJSON(value) ? value.rawJSON : undefined;

/** The value with rounded numbers in place of such integers. */
export function rounded(value: unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return Number(digits);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]));
}

type Reviver = (
  this: unknown,
  name: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;
const revive: Reviver = (_, value, { source = '' }) =>
  typeof value === 'number' && isBeyondNumber(source) ? rawNumber(source) : value;

/** As `JSON.parse`, with such integers. */
export const parseRawNumbers = (text: string): unknown =>
  // Few texts have one, and a reviver takes several times as long.
  /\d{16}/.test(text)
    ? JSON.parse(text, revive as (name: string, value: unknown) => unknown)
    : JSON.parse(text);

// The text of parts of a JSON text, exactly as it is written: JSON.parse loses the order and form of numbers, escapes and
// white space. Each function takes linear time and requires a valid JSON text.

/** The value of the member `name` of an object; of the last one, as for JSON.parse. Undefined: no object, or no member. */
export const rawMember = (text: string, name: string): string | undefined => rawMembers(text)?.get(name);

/** The members of an object; of several with one name the last one, as for JSON.parse. Undefined: no object. */
export function rawMembers(text: string): Map<string, string> | undefined {
  const start = skipSpace(text, 0);
  if (text[start] !== '{') return undefined;
  const members = new Map<string, string>();
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at) + 1;
    const key = String(JSON.parse(text.slice(at, keyEnd)));
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, value);
    members.set(key, text.slice(value, end));
    at = nextElement(text, end);
  }
  return members;
}

/** The elements of an array; empty if it is no array. */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  const start = skipSpace(text, 0);
  if (text[start] !== '[') return elements;
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = nextElement(text, end);
  }
  return elements;
}

/** The start of the next element after the comma, or the closing bracket. */
function nextElement(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at + 1;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (char === ',' || isSpace(char))) return at;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

const isSpace = (char: string | undefined) => char === ' ' || char === '\n' || char === '\r' || char === '\t';
