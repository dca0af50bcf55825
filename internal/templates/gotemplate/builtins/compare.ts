import { printf } from '../format/printf.ts';
import { type Budget, BYTES_PER_STEP } from '../limits/budget.ts';
import { FunctionError } from '../values/function-error.ts';
import { isNil, typeOf } from '../values/inspect.ts';
import { compareText } from '../values/text.ts';
import { GoInteger, GoObject, type Value } from '../values/value.ts';
import { type Builtin, RAW } from './builtin.ts';

/** What `eq` and `lt` compare by. */
type Kind = 'bool' | 'int' | 'uint' | 'float' | 'string' | 'other';

function kindOf(value: Value): Kind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'string') return 'string';
  if (value instanceof GoInteger) return value.type.signed ? 'int' : 'uint';
  return 'other';
}

const isInteger = (kind: Kind): boolean => kind === 'int' || kind === 'uint';

function areEqual(one: Value, other: Value, budget: Budget): boolean {
  const kind = kindOf(one);
  const otherKind = kindOf(other);
  if (one instanceof GoInteger && other instanceof GoInteger) return one.value === other.value;
  if (kind !== otherKind) {
    if (one !== null && other !== null) failIncompatible(one, other);
    return false;
  }
  if (typeof one === 'string') budget.step(one.length / BYTES_PER_STEP);
  if (kind !== 'other') return one === other;
  return areOthersEqual(one, other, budget);
}

function areOthersEqual(one: Value, other: Value, budget: Budget): boolean {
  // Go compares kinds here: slice, map, struct, pointer.
  if (one !== null && other !== null && one.constructor !== other.constructor) {
    const text = printf(
      'non-comparable types %s: %v, %s: %v',
      [one, typeOf(one) ?? null, typeOf(other) ?? null, other],
      budget,
    );
    throw new FunctionError(text);
  }
  if (isNil(one) || isNil(other)) return isNil(one) === isNil(other);
  if (!(one instanceof GoObject && other instanceof GoObject)) {
    throw new FunctionError(printf('non-comparable type %s: %v', [other, typeOf(other) ?? null], budget));
  }
  if (one.type !== other.type) return false;
  // Pointers are equal if they are the same.
  if (one.typeName.startsWith('*')) return one.content === other.content;
  return one.type.equal ? one.type.equal(one.content, other.content) : one.content === other.content;
}

function failIncompatible(one: Value, other: Value): never {
  throw new FunctionError(`incompatible types for comparison: ${typeOf(one)} and ${typeOf(other)}`);
}

function isLess(one: Value, other: Value): boolean {
  const kind = kindOf(one);
  const otherKind = kindOf(other);
  if (kind === 'other' || otherKind === 'other') throw new FunctionError('invalid type for comparison');
  if (kind !== otherKind && !(isInteger(kind) && isInteger(otherKind))) failIncompatible(one, other);
  if (one instanceof GoInteger && other instanceof GoInteger) return one.value < other.value;
  if (typeof one === 'number' && typeof other === 'number') return one < other;
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other) < 0;
  throw new FunctionError('invalid type for comparison');
}

const isLessOrEqual = (one: Value, other: Value, budget: Budget): boolean =>
  isLess(one, other) || areEqual(one, other, budget);

const comparison = (compare: (one: Value, other: Value, budget: Budget) => boolean): Builtin => ({
  parameters: [RAW, RAW],
  callRaw: ([one = null, other = null], { budget }) => compare(one, other, budget),
});

export const COMPARISONS = {
  eq: {
    parameters: [RAW],
    variadic: RAW,
    callRaw: ([one = null, ...others], { budget }) => {
      if (others.length === 0) throw new FunctionError('missing argument for comparison');
      return others.some((other = null) => areEqual(one, other, budget));
    },
  },
  ne: comparison((one, other, budget) => !areEqual(one, other, budget)),
  lt: comparison(isLess),
  le: comparison(isLessOrEqual),
  gt: comparison((one, other, budget) => !isLessOrEqual(one, other, budget)),
  ge: comparison((one, other) => !isLess(one, other)),
} satisfies Record<string, Builtin>;
