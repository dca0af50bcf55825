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
