/** Conversions of values to numbers and texts, as lenient as the library cast of Go, which sprout uses. */
import type { Budget } from '../../budget.ts';
import { formatFloat, SHORTEST } from '../../format/float.ts';
import { print } from '../../format/printf.ts';
import { fromBytes } from '../../values/text.ts';
import { GoInteger, GoMap, GoObject, GoSlice, type Value } from '../../values/value.ts';
import { Failure, Panic } from '../define.ts';

/** Go's conversion of a float64 to an int64, as amd64 does it: what does not fit becomes the smallest int64. */
export function truncateToInt64(value: number): bigint {
  const truncated = Math.trunc(value);
  return truncated >= -(2 ** 63) && truncated < 2 ** 63 ? BigInt(truncated) : -(2n ** 63n);
}

/** Undefined: the value cannot be cast. */
export function castToFloat(value: Value): number | undefined {
  if (value === null) return 0;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof GoInteger) return Number(value.value);
  if (typeof value === 'string') return value === '' ? 0 : parseFloat64(value);
  return undefined;
}

/** An int64. Undefined: the value cannot be cast. */
export function castToInteger(value: Value): bigint | undefined {
  if (value === null) return 0n;
  if (typeof value === 'number') return truncateToInt64(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof GoInteger) return BigInt.asIntN(64, value.value);
  if (typeof value !== 'string') return undefined;
  if (value === '') return 0n;
  const parsed = parseInteger(withoutFraction(value), 0);
  return parsed.isValid ? parsed.value : undefined;
}

/** `12.9` counts as 12, and `.5` as 0. */
function withoutFraction(text: string): string {
  if (!text.includes('.')) return text;
  const [, whole] = /^([-+]?\d*)\.\d*$/.exec(text) ?? [];
  if (whole === undefined) return text;
  return /^[-+]?$/.test(whole) ? `${whole}0` : whole;
}

export function toFloat(value: Value, result: Value): number {
  const float = castToFloat(value);
  if (float === undefined) throw new Failure('failed to convert to float64', result);
  return float;
}

export function toInteger(value: Value, result: Value): bigint {
  const integer = castToInteger(value);
  if (integer === undefined) throw new Failure('failed to convert to int64', result);
  return integer;
}

/** A text as `join` makes it of an element: numbers without exponent; lists and maps become empty. */
export function castToText(value: Value, budget: Budget): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatFloat(value, 'f', SHORTEST);
  if (value instanceof GoSlice) return value.elementType === 'uint8' ? bytesText(value) : '';
  return value instanceof GoMap ? '' : textOf(value, budget);
}

/** A text as `toString` makes it. */
export function toText(value: Value, budget: Budget): string {
  if (value instanceof GoSlice && value.elementType === 'uint8') return bytesText(value);
  return textOf(value, budget);
}

/** fmt.Sprint of one value, which for a nil pointer calls its method String in vain. */
function textOf(value: Value, budget: Budget): string {
  if (value instanceof GoObject && value.isNil && 'String' in value.type.methods) {
    throw new Panic('runtime error: invalid memory address or nil pointer dereference');
  }
  return print([value], budget);
}

/** The string of a []uint8. */
export const bytesText = (bytes: GoSlice): string =>
  fromBytes(Uint8Array.from(bytes.items, (item) => (item instanceof GoInteger ? Number(item.value) : 0)));

/** Numbers in strings, by the rules of package strconv. */

interface ParsedInteger {
  /** The nearest value of an int64 if the text is out of range, 0 if it is no number. */
  readonly value: bigint;
  readonly isValid: boolean;
}

/** Digits of the largest numbers are fewer; longer texts are out of range. */
const MAX_DIGITS = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
const INVALID: ParsedInteger = { value: 0n, isValid: false };

/** An int64. @param base 0: by prefix (0x, 0o, 0b, 0), with underscores between digits */
export function parseInteger(text: string, base: 0 | 8 | 10): ParsedInteger {
  if (text.length > MAX_DIGITS) return INVALID;
  const negative = text.startsWith('-');
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  const magnitude = base === 0 ? parseByPrefix(unsigned) : parseDigits(unsigned, base);
  if (magnitude === undefined) return INVALID;
  const value = negative ? -magnitude : magnitude;
  if (value > MAX_INT64) return { value: MAX_INT64, isValid: false };
  if (value < -MAX_INT64 - 1n) return { value: -MAX_INT64 - 1n, isValid: false };
  return { value, isValid: true };
}

/** Digits without sign, in the base of their prefix. Undefined: they are none. */
function parseByPrefix(text: string): bigint | undefined {
  const lower = text.toLowerCase();
  if (lower.includes('_') && !hasUnderscoresBetweenDigits(lower)) return undefined;
  const digits = lower.replaceAll('_', '');
  if (/^0x[0-9a-f]+$|^0o[0-7]+$|^0b[01]+$/.test(digits)) return BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits}`);
  return /^(?:0|[1-9]\d*)$/.test(digits) ? BigInt(digits) : undefined;
}

/** An integer without sign, in the base of its prefix (0x, 0o, 0b, 0). Undefined: it is none. */
export const parseMagnitude = (text: string): bigint | undefined =>
  text.length > MAX_DIGITS ? undefined : parseByPrefix(text);

/** A base prefix counts as a digit. */
const hasUnderscoresBetweenDigits = (text: string): boolean =>
  /^(?:0[xob](?:_?[0-9a-f])+|\d(?:_?\d)*)$/.test(text);

function parseDigits(text: string, base: 8 | 10): bigint | undefined {
  if (base === 8) return /^[0-7]+$/.test(text) ? BigInt(`0o${text}`) : undefined;
  return /^\d+$/.test(text) ? BigInt(text) : undefined;
}

/** A float64. Undefined: the text is no number, or out of range. */
export function parseFloat64(text: string): number | undefined {
  if (text.length > MAX_DIGITS) return undefined;
  const lower = text.toLowerCase();
  if (/^[+-]?inf(?:inity)?$/.test(lower)) return lower.startsWith('-') ? -Infinity : Infinity;
  if (lower === 'nan') return Number.NaN;
  const plain = withoutUnderscores(lower) ?? '';
  const hex = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d+)$/.exec(plain);
  const value = hex ? hexFloat(hex) : decimalFloat(plain);
  return value === undefined || Math.abs(value) === Infinity ? undefined : value;
}

function decimalFloat(text: string): number | undefined {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Undefined: an underscore is not between digits. The x of a base prefix counts as one. */
function withoutUnderscores(text: string): string | undefined {
  const isMisplaced = /^[+-]?0x/.test(text) ? /(?<![0-9a-fx])_|_(?![0-9a-f])/ : /(?<!\d)_|_(?!\d)/;
  return isMisplaced.test(text) ? undefined : text.replaceAll('_', '');
}

function hexFloat([, sign, whole = '', fraction = '', exponentText]: RegExpExecArray): number | undefined {
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const mantissa = BigInt(`0x${digits}`);
  const exponent = Number(exponentText) - 4 * fraction.length;
  const value = scale(mantissa, exponent);
  return sign === '-' ? -value : value;
}

/** mantissa × 2^exponent, rounded once, half to even. */
function scale(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  // Bits below the smallest one of the result are rounded away.
  const excess = Math.max(bits - 53, -1074 - exponent);
  if (excess <= 0) return Number(mantissa) * powerOfTwo(exponent);
  if (excess > bits + 1) return 0;
  const half = 1n << BigInt(excess - 1);
  const floor = mantissa >> BigInt(excess);
  const rest = mantissa - (floor << BigInt(excess));
  const rounded = rest > half || (rest === half && floor % 2n === 1n) ? floor + 1n : floor;
  return Number(rounded) * powerOfTwo(exponent + excess);
}

/** Also with exponents of which 2 ** exponent is no longer exact, since the factor is. */
const powerOfTwo = (exponent: number): number =>
  exponent < -1074 ? 0 : exponent > 1023 ? Infinity : 2 ** exponent;
