/** Decimal numbers of any size: a float64 counts as the shortest decimal that identifies it. */

import { formatFloat, SHORTEST } from '../format/float.ts';
import { Panic } from '../functions/call/failure.ts';

/** value × 10^exponent */
interface Decimal {
  readonly value: bigint;
  readonly exponent: number;
}

/** Digits behind the point of a quotient. */
const DIVISION_DIGITS = 16;

function fromFloat(float: number): Decimal {
  if (!Number.isFinite(float)) {
    throw new Panic(`Cannot create a Decimal from ${formatFloat(float, 'g', SHORTEST)}`);
  }
  const [mantissa = '0', exponent = '0'] = String(float).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { value: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const toFloat = ({ value, exponent }: Decimal): number => Number(`${value}e${exponent}`);

function align(one: Decimal, other: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(one.exponent, other.exponent);
  const scale = (number: Decimal) => number.value * 10n ** BigInt(number.exponent - exponent);
  return [scale(one), scale(other), exponent];
}

function add(one: Decimal, other: Decimal): Decimal {
  const [a, b, exponent] = align(one, other);
  return { value: a + b, exponent };
}

function subtract(one: Decimal, other: Decimal): Decimal {
  const [a, b, exponent] = align(one, other);
  return { value: a - b, exponent };
}

const multiply = (one: Decimal, other: Decimal): Decimal => ({
  value: one.value * other.value,
  exponent: one.exponent + other.exponent,
});

/** Rounded half away from zero. */
function divide(one: Decimal, other: Decimal): Decimal {
  if (other.value === 0n) throw new Panic('decimal division by 0');
  const shift = one.exponent - other.exponent + DIVISION_DIGITS;
  const dividend = shift > 0 ? one.value * 10n ** BigInt(shift) : one.value;
  const divisor = shift < 0 ? other.value * 10n ** BigInt(-shift) : other.value;
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const isUp = twice >= (divisor < 0n ? -divisor : divisor);
  const sign = dividend < 0n === divisor < 0n ? 1n : -1n;
  return { value: isUp ? quotient + sign : quotient, exponent: -DIVISION_DIGITS };
}

const operate =
  (operation: (one: Decimal, other: Decimal) => Decimal) =>
  (values: readonly number[]): number => {
    const [first = { value: 0n, exponent: 0 }, ...others] = values.map(fromFloat);
    return toFloat(others.reduce(operation, first));
  };

export const addDecimals = operate(add);
export const subtractDecimals = operate(subtract);
export const multiplyDecimals = operate(multiply);
export const divideDecimals = operate(divide);
