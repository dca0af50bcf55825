/** The functions for numbers. Integers are int64, and wrap around. */

import { formatFloat, SHORTEST } from '../format/float.ts';
import { parseFloat64, parseInteger, truncateToInt64 } from '../functions/convert/cast.ts';
import { Panic } from '../functions/define.ts';
import { NUMBERS } from '../functions/numbers.ts';
import { type GoFunctions, GoInteger, int, int64, type Value } from '../values/value.ts';
import { ANY_TYPE, textAt, typed } from './typed.ts';

// Decimal numbers of any size: a float64 counts as the shortest decimal that identifies it.

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

const addDecimals = operate(add);
const subtractDecimals = operate(subtract);
const multiplyDecimals = operate(multiply);
const divideDecimals = operate(divide);

const INTEGER_TYPE = /^(u?int(8|16|32|64)?|time\.(Month|Weekday))$/;

/** What cannot be cast is 0. */
export function toInt64(value: Value): bigint {
  if (value instanceof GoInteger) {
    return INTEGER_TYPE.test(value.type.name) ? BigInt.asIntN(64, value.value) : 0n;
  }
  if (typeof value === 'number') return truncateToInt64(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return 0n;
  const parsed = parseInteger(value.replace(/\.0+$/, ''), 0);
  return parsed.isValid ? parsed.value : 0n;
}

function toFloat64(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof GoInteger) return INTEGER_TYPE.test(value.type.name) ? Number(value.value) : 0;
  return typeof value === 'string' ? (parseFloat64(value) ?? 0) : 0;
}

const onIntegers = (operation: (one: bigint, other: bigint) => bigint) =>
  typed([ANY_TYPE, ANY_TYPE], ([one = null, other = null]) => int64(operation(toInt64(one), toInt64(other))));

function checkDivisor(divisor: bigint): bigint {
  if (divisor === 0n) throw new Panic('runtime error: integer divide by zero');
  return divisor;
}

const chooseInteger = (isBetter: (one: bigint, other: bigint) => boolean) =>
  typed(
    [ANY_TYPE],
    (args) => {
      const [first = 0n, ...others] = args.map(toInt64);
      return int64(others.reduce((best, other) => (isBetter(other, best) ? other : best), first));
    },
    { variadic: ANY_TYPE },
  );

/** @param extreme wins over NaN, too */
const chooseFloat = (choose: (one: number, other: number) => number, extreme: number) =>
  typed(
    [ANY_TYPE],
    (args) => {
      const [first = 0, ...others] = args.map(toFloat64);
      return others.reduce(
        (best, other) => (best === extreme || other === extreme ? extreme : choose(best, other)),
        first,
      );
    },
    { variadic: ANY_TYPE },
  );

const onDecimals = (
  parameters: readonly string[],
  operate: (values: readonly number[]) => number,
): ReturnType<typeof typed> =>
  typed(parameters, (args) => operate(args.map(toFloat64)), { variadic: ANY_TYPE });

const max = chooseInteger((one, other) => one > other);

export const NUMBER_FUNCTIONS: GoFunctions = {
  add: typed([], (args) => int64(args.reduce<bigint>((sum, value) => sum + toInt64(value), 0n)), {
    variadic: ANY_TYPE,
  }),
  add1: typed([ANY_TYPE], ([value = null]) => int64(toInt64(value) + 1n)),
  add1f: typed([ANY_TYPE], ([value = null]) => addDecimals([toFloat64(value), 1])),
  addf: onDecimals([], (values) => addDecimals([0, ...values])),
  atoi: typed(['string'], (args) => int(parseInteger(textAt(args, 0), 10).value)),
  biggest: max,
  ceil: typed([ANY_TYPE], ([value = null]) => Math.ceil(toFloat64(value))),
  div: onIntegers((one, other) => one / checkDivisor(other)),
  divf: onDecimals([ANY_TYPE], divideDecimals),
  float64: typed([ANY_TYPE], ([value = null]) => toFloat64(value)),
  floor: typed([ANY_TYPE], ([value = null]) => Math.floor(toFloat64(value))),
  int: typed([ANY_TYPE], ([value = null]) => int(toInt64(value))),
  int64: typed([ANY_TYPE], ([value = null]) => int64(toInt64(value))),
  max,
  maxf: chooseFloat(Math.max, Infinity),
  min: chooseInteger((one, other) => one < other),
  minf: chooseFloat(Math.min, -Infinity),
  mod: onIntegers((one, other) => one % checkDivisor(other)),
  mul: typed(
    [ANY_TYPE],
    (args) => int64(args.reduce<bigint>((product, value) => BigInt.asIntN(64, product * toInt64(value)), 1n)),
    { variadic: ANY_TYPE },
  ),
  mulf: onDecimals([ANY_TYPE], multiplyDecimals),
  round: typed(
    [ANY_TYPE, 'int'],
    ([value = null, places = null, on = 0.5]) => {
      const power = 10 ** toFloat64(places);
      const digit = power * toFloat64(value);
      const fraction = digit % 1;
      const rounded = fraction >= toFloat64(on) ? Math.ceil(digit) : Math.floor(digit);
      return rounded / power;
    },
    { variadic: 'float64' },
  ),
  seq: typed([], NUMBERS.seq, { variadic: 'int' }),
  sub: onIntegers((one, other) => one - other),
  subf: onDecimals([ANY_TYPE], subtractDecimals),
  toDecimal: typed([ANY_TYPE], NUMBERS.toDecimal),
  until: typed(['int'], NUMBERS.until),
  untilStep: typed(['int', 'int', 'int'], NUMBERS.untilStep),
};
