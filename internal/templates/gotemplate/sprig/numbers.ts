/** The functions for numbers. Integers are int64, and wrap around. */
import { Panic } from '../functions/call/failure.ts';
import { truncateToInt64 } from '../functions/convert/cast.ts';
import { parseFloat64, parseInteger } from '../functions/convert/parse-number.ts';
import { NUMBERS } from '../functions/numbers/numbers.ts';
import { int, int64 } from '../values/create.ts';
import { type GoFunctions, GoInteger, type Value } from '../values/value.ts';
import { addDecimals, divideDecimals, multiplyDecimals, subtractDecimals } from './decimal.ts';
import { ANY_TYPE, textAt, typed } from './typed.ts';

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
