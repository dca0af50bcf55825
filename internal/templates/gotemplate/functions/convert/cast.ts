/** Conversions of values to numbers and texts, as lenient as the library cast of Go, which sprout uses. */

import type { Budget } from '../../budget.ts';
import { formatFloat, SHORTEST } from '../../format/float.ts';
import { print } from '../../format/printf.ts';
import { fromBytes } from '../../values/text.ts';
import { GoInteger, GoMap, GoObject, GoSlice, type Value } from '../../values/value.ts';
import { Failure, Panic } from '../define.ts';
import { parseFloat64, parseInteger } from './parse-number.ts';

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
