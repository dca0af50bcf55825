/** The functions for default values, and those for values of any type. */
import { GoObject } from '../values/value.ts';
import { deepCopy, deepEqual } from './convert/deep.ts';
import { ANY, BOOL, type Body, Failure, fixed, isEmpty, objectType, STRING, variadic } from './define.ts';

/** What `fail` gives in sprout, where its error does not count: a nil pointer. */
const NIL_POINTER = objectType<null>({ name: '*uint', methods: {}, text: () => '<nil>' });

const copy = fixed([ANY], ([value], { budget }) => {
  if (value === null) throw new Failure('value cannot be nil');
  return deepCopy(value, budget);
});

export const DEFAULTS = {
  all: variadic([], ANY, (_, values) => values.every((value) => !isEmpty(value))),
  any: variadic([], ANY, (_, values) => values.some((value) => !isEmpty(value))),
  coalesce: variadic([], ANY, (_, values) => values.find((value) => !isEmpty(value)) ?? null),
  deepCopy: copy,
  deepEqual: fixed([ANY, ANY], ([one, other], { budget }) => deepEqual(other, one, budget)),
  default: variadic([ANY], ANY, ([fallback], [value = null]) => (isEmpty(value) ? fallback : value)),
  empty: fixed([ANY], ([value]) => isEmpty(value)),
  fail: fixed([STRING], ([message]) => {
    throw new Failure(message, new GoObject<unknown>(NIL_POINTER, null, true));
  }),
  mustDeepCopy: copy,
  ternary: fixed([ANY, ANY, BOOL], ([whenTrue, whenFalse, condition]) => (condition ? whenTrue : whenFalse)),
} satisfies Record<string, Body>;
