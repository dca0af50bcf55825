/** The functions for dictionaries, and those for default values. */

import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { deepCopy, deepEqual } from '../functions/convert/deep.ts';
import { Failure, isDict, isEmpty, Panic, typeText } from '../functions/define.ts';
import { assign } from '../functions/dicts.ts';
import {
  dict as dictOf,
  type GoFunction,
  type GoFunctions,
  GoMap,
  list,
  sortedKeys,
  strings,
  type Value,
} from '../values/value.ts';
import { strval } from './strings.ts';
import { ANY_TYPE, DICT_TYPE, textAt, typed } from './typed.ts';

const dictAt = (args: readonly Value[], index: number): GoMap => {
  const value = args[index];
  if (!(value instanceof GoMap)) return dictOf();
  // The parameter has the type without a name.
  return value.named === undefined ? value : new GoMap(value.valueType, value.entries, value.isNil);
};

const dictsIn = (values: readonly Value[]): GoMap[] => values.filter((value) => value instanceof GoMap);

function chargeEntries(budget: Budget, count: number): void {
  budget.step(count);
  budget.charge(count * 2 * ELEMENT_BYTES);
}

const set = typed([DICT_TYPE, 'string', ANY_TYPE], (args, { budget }) => {
  const target = dictAt(args, 0);
  if (target.isNil) throw new Panic('assignment to entry in nil map');
  budget.charge(textAt(args, 1).length + ELEMENT_BYTES);
  target.entries.set(textAt(args, 1), args[2] ?? null);
  return target;
});

const dict = typed(
  [],
  (args, { budget }) => {
    chargeEntries(budget, args.length);
    const entries = new Map<string, Value>();
    for (let i = 0; i < args.length; i += 2) {
      entries.set(strval(args[i] ?? null, budget), i + 1 < args.length ? (args[i + 1] ?? null) : '');
    }
    return dictOf(entries);
  },
  { variadic: ANY_TYPE },
);

const selection = (isSelected: (key: string, keys: ReadonlySet<Value>) => boolean): GoFunction =>
  typed(
    [DICT_TYPE],
    ([source, ...keys], { budget }) => {
      const { entries } = dictAt([source ?? null], 0);
      chargeEntries(budget, entries.size);
      const wanted = new Set<Value>(keys);
      return dictOf([...entries].filter(([key]) => isSelected(key, wanted)));
    },
    { variadic: 'string' },
  );

const merging = (overwrites: boolean): GoFunction =>
  typed(
    [DICT_TYPE],
    ([target, ...sources], { budget }) => {
      const into = dictAt([target ?? null], 0);
      const known = dictsIn(sources);
      // Only a nil target is replaced, and only if there is something to merge.
      const result = into.isNil && known.some((source) => !source.isNil) ? dictOf() : into;
      for (const source of known) merge(result, source, overwrites, budget);
      return result;
    },
    { variadic: DICT_TYPE, any: true },
  );

const dig = typed(
  [],
  (args) => {
    if (args.length < 3) throw new Panic('dig needs at least three arguments');
    const source = args.at(-1) ?? null;
    const keys = args.slice(0, -2).map((key) => {
      if (typeof key === 'string') return key;
      throw new Panic(`interface conversion: interface {} is ${typeOrNil(key)}, not string`);
    });
    let value: Value = source;
    for (const key of keys) {
      if (!isDict(value) || value.named !== undefined) {
        throw new Panic(`interface conversion: interface {} is ${typeOrNil(value)}, not ${DICT_TYPE}`);
      }
      const step: Value | undefined = value.entries.get(key);
      if (step === undefined) return args.at(-2) ?? null;
      value = step;
    }
    return value;
  },
  { variadic: ANY_TYPE, any: true },
);

const typeOrNil = (value: Value): string => (value === null ? 'nil' : typeText(value));

const copy = typed(
  [ANY_TYPE],
  ([value = null], { budget }) => {
    if (value === null) throw new Panic('reflect: call of reflect.Value.Type on zero Value');
    return deepCopy(value, budget);
  },
  { any: true },
);

const mergeKeeping = merging(false);
const mergeOverwriting = merging(true);

export const DICT_FUNCTIONS: GoFunctions = {
  all: typed([], (values) => values.every((value) => !isEmpty(value)), { variadic: ANY_TYPE }),
  any: typed([], (values) => values.some((value) => !isEmpty(value)), { variadic: ANY_TYPE }),
  coalesce: typed([], (values) => values.find((value) => !isEmpty(value)) ?? null, {
    variadic: ANY_TYPE,
    any: true,
  }),
  deepCopy: copy,
  deepEqual: typed([ANY_TYPE, ANY_TYPE], ([one = null, other = null], { budget }) =>
    deepEqual(one, other, budget),
  ),
  default: typed([ANY_TYPE], ([fallback = null, value = null]) => (isEmpty(value) ? fallback : value), {
    variadic: ANY_TYPE,
    any: true,
  }),
  dict,
  dig,
  empty: typed([ANY_TYPE], ([value = null]) => isEmpty(value)),
  fail: typed(['string'], (args) => {
    throw new Failure(textAt(args, 0));
  }),
  get: typed(
    [DICT_TYPE, 'string'],
    (args) => {
      const value = dictAt(args, 0).entries.get(textAt(args, 1));
      return value === undefined ? '' : value;
    },
    { any: true },
  ),
  hasKey: typed([DICT_TYPE, 'string'], (args) => dictAt(args, 0).entries.has(textAt(args, 1))),
  keys: typed(
    [],
    (dicts, { budget }) =>
      strings(
        dictsIn(dicts).flatMap((map) => {
          chargeEntries(budget, map.entries.size);
          return sortedKeys(map);
        }),
      ),
    { variadic: DICT_TYPE },
  ),
  merge: mergeKeeping,
  mergeOverwrite: mergeOverwriting,
  mustDeepCopy: copy,
  mustMerge: mergeKeeping,
  mustMergeOverwrite: mergeOverwriting,
  omit: selection((key, keys) => !keys.has(key)),
  pick: selection((key, keys) => keys.has(key)),
  pluck: typed(
    ['string'],
    ([key, ...dicts], { budget }) => {
      chargeEntries(budget, dicts.length);
      const name = typeof key === 'string' ? key : '';
      return list(
        dictsIn(dicts)
          .filter((map) => map.entries.has(name))
          .map((map) => map.entries.get(name) ?? null),
      );
    },
    { variadic: DICT_TYPE },
  ),
  set,
  ternary: typed(
    [ANY_TYPE, ANY_TYPE, 'bool'],
    ([whenTrue = null, whenFalse = null, condition]) => (condition === true ? whenTrue : whenFalse),
    { any: true },
  ),
  unset: typed([DICT_TYPE, 'string'], (args) => {
    const target = dictAt(args, 0);
    target.entries.delete(textAt(args, 1));
    return target;
  }),
  values: typed([DICT_TYPE], (args, { budget }) => {
    const map = dictAt(args, 0);
    chargeEntries(budget, map.entries.size);
    return list(sortedKeys(map).map((key) => map.entries.get(key) ?? null));
  }),
};

// `merge` and `mergeOverwrite`, as version 1.0.1 of the library mergo does it with the settings of sprig.

/**
 * Adds the entries of `source` to `target`, maps in maps too. What is empty in the target (false, 0, an empty text, list or map)
 * counts as unset.
 *
 * @param overwrites whether entries of `source` replace existing ones
 */
function merge(target: GoMap, source: GoMap, overwrites: boolean, budget: Budget, depth = 0): void {
  budget.checkDepth(depth);
  budget.step(source.entries.size);
  budget.charge(source.entries.size * 32);
  for (const [key, value] of source.entries) {
    const existing = target.entries.get(key) ?? null;
    if (value === null) {
      if (overwrites) assign(target, key, source, value);
      continue;
    }
    if (value instanceof GoMap && existing instanceof GoMap) {
      // A nil map cannot be filled in its place: it is replaced.
      if (!existing.isNil) merge(existing, value, overwrites, budget, depth + 1);
      if (existing.entries.size > 0) continue;
    }
    if (overwrites || isEmpty(existing)) assign(target, key, source, value);
  }
}
