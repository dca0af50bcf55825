/** The functions for numbers. They compute with float64, and give the type of their first argument. */

import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { print } from '../format/printf.ts';
import { GoInteger, GoSlice, int, int64, type Value } from '../values/value.ts';
import {
  castToFloat,
  castToInteger,
  parseInteger,
  toFloat,
  toInteger,
  truncateToInt64,
} from './convert/cast.ts';
import { ANY, type Body, Failure, FLOAT, fixed, INT, Panic, typeText, variadic } from './define.ts';

type Operation = (one: number, other: number) => number;

const add: Operation = (one, other) => one + other;
const subtract: Operation = (one, other) => one - other;
const multiply: Operation = (one, other) => one * other;
const divide: Operation = (one, other) => one / other;

/** Applies an operation from left to right. @param initial the result without values */
function operate(values: readonly Value[], operation: Operation, initial: Value): Value {
  const [first, ...others] = values;
  if (first === undefined) return initial;
  let result = toFloat(first, 0);
  for (const other of others) result = operation(result, toFloat(other, 0));
  return convert(result, first);
}

/** Converts a number to the type of another value. */
function convert(value: number, like: Value): Value {
  if (typeof like === 'number') return value;
  if (!(like instanceof GoInteger)) {
    throw new Panic(
      `reflect.Value.Convert: value of type float64 cannot be converted to type ${typeText(like)}`,
    );
  }
  return new GoInteger(like.type, like.type.signed ? truncateToInt64(value) : truncateToUnsigned(value));
}

/** Go's conversion of a float64 to a uint64, as amd64 does it. */
const truncateToUnsigned = (value: number): bigint =>
  value >= 2 ** 63 && value < 2 ** 64 ? BigInt(Math.trunc(value)) : truncateToInt64(value);

const operation = (apply: Operation, initial: Value): Body =>
  variadic([], ANY, (_, values) => operate(values, apply, initial));

/** An int64; what cannot be computed is 0. */
const integerResult = (result: () => Value): Value => {
  try {
    return int64(castToInteger(result()) ?? 0n);
  } catch (error) {
    if (error instanceof Failure && !(error instanceof Panic)) throw new Failure(error.message, int64(0));
    throw error;
  }
};

const add1 = fixed([ANY], ([value]) => {
  if (typeof value === 'string') throw new Failure('failed to convert to float64', 0);
  if (typeof value !== 'number' && !(value instanceof GoInteger)) {
    throw new Panic(
      `reflect.Value.Convert: value of type int cannot be converted to type ${typeText(value)}`,
    );
  }
  return operate([value, 1], add, 0);
});

/** The first argument counts as a float64; 0 if it is no number. */
function quotient(values: readonly Value[]): Value {
  const [first, ...others] = values;
  return operate(first === undefined ? [] : [castToFloat(first) ?? 0, ...others], divide, 0);
}

const mod = fixed([ANY, ANY], ([value, divisor]) =>
  convert(toFloat(value, int(0)) % toFloat(divisor, int(0)), value),
);

const chooseInteger = (isBetter: (one: bigint, other: bigint) => boolean): Body =>
  variadic([ANY], ANY, ([first], others) => {
    let best = toInteger(first, int64(0));
    for (const other of others) {
      const candidate = toInteger(other, int64(0));
      if (isBetter(candidate, best)) best = candidate;
    }
    return int64(best);
  });

/** @param extreme wins over NaN, too */
const chooseFloat = (choose: Operation, extreme: number): Body =>
  variadic([ANY], ANY, ([first], others) => {
    let best = toFloat(first, 0);
    for (const other of others) {
      const candidate = toFloat(other, 0);
      best = best === extreme || candidate === extreme ? extreme : choose(best, candidate);
    }
    return best;
  });

const round = variadic([ANY, INT], FLOAT, ([value, digits], [roundOn = 0.5]) => {
  const factor = 10 ** Number(digits);
  const scaled = toFloat(value, 0) * factor;
  const fraction = scaled % 1;
  return (fraction >= roundOn ? Math.ceil(scaled) : Math.floor(scaled)) / factor;
});

const castInteger = (make: (value: bigint) => Value): Body =>
  fixed([ANY], ([value]) => make(toInteger(value, make(0n))));

const toDecimal = fixed([ANY], ([value], { budget }) => {
  const parsed = parseInteger(print([value], budget), 8);
  return int64(parsed.isValid ? parsed.value : 0n);
});

const ints = (values: readonly bigint[]): GoSlice => new GoSlice('int', values.map(int));

/** Numbers with spaces between them. Without arguments, and with more than three, there are none. */
function sequence(params: readonly bigint[], budget: Budget): string {
  const [one = 0n, two = 0n, three = 0n] = params;
  const text = (start: bigint, step: bigint, end: bigint) => {
    const direction = end < start ? -1n : 1n;
    return range(start, end + direction, step, budget).join(' ');
  };
  if (params.length === 1) return text(1n, one < 1n ? -1n : 1n, one);
  if (params.length === 2) return text(one, two < one ? -1n : 1n, two);
  if (params.length !== 3 || (three < one && two > 0n)) return '';
  return text(one, two, three);
}

const max = chooseInteger((one, other) => one > other);
const sum = operation(add, 0);
const difference = operation(subtract, 0);

export const NUMBERS = {
  add: sum,
  add1,
  add1f: add1,
  addf: sum,
  atoi: castInteger(int),
  biggest: max,
  ceil: fixed([ANY], ([value]) => Math.ceil(toFloat(value, 0))),
  div: variadic([], ANY, (_, values) => integerResult(() => quotient(values))),
  divf: variadic([], ANY, (_, values) => quotient(values)),
  float64: fixed([ANY], ([value]) => toFloat(value, 0)),
  floor: fixed([ANY], ([value]) => Math.floor(toFloat(value, 0))),
  int: castInteger(int),
  int64: castInteger(int64),
  max,
  maxf: chooseFloat(Math.max, Infinity),
  min: chooseInteger((one, other) => one < other),
  minf: chooseFloat(Math.min, -Infinity),
  mod,
  mul: variadic([], ANY, (_, values) => integerResult(() => operate(values, multiply, int(1)))),
  mulf: operation(multiply, 1),
  round,
  seq: variadic([], INT, (_, params, { budget }) => sequence(params, budget)),
  sub: difference,
  subf: difference,
  toDecimal,
  until: fixed([INT], ([count], { budget }) => ints(range(0n, count, count < 0n ? -1n : 1n, budget))),
  untilStep: fixed([INT, INT, INT], ([start, stop, step], { budget }) =>
    ints(range(start, stop, step, budget)),
  ),
} satisfies Record<string, Body>;

/** Bytes of an integer with its type. */
const INTEGER_BYTES = 48;

/** The integers from `start` to `stop`, without it. None, if the step leads away. */
function range(start: bigint, stop: bigint, step: bigint, budget: Budget): bigint[] {
  const leadsAway = stop < start ? step >= 0n : step <= 0n;
  if (leadsAway) return [];
  const distance = stop - start;
  const count = Number((distance + step - (step > 0n ? 1n : -1n)) / step);
  budget.step(count);
  budget.charge(count * (INTEGER_BYTES + ELEMENT_BYTES));
  return Array.from({ length: count }, (_, i) => start + BigInt(i) * step);
}
