/** The functions for lists. Errors of those without `must` end the template, too. */

import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { deepEqual } from '../functions/convert/deep.ts';
import { Failure, isEmpty, kindOf, Panic, typeText } from '../functions/define.ts';
import {
  type CallContext,
  type GoFunction,
  type GoFunctions,
  GoInteger,
  GoSlice,
  INTERFACE,
  list,
  type Value,
} from '../values/value.ts';
import { toInt64 } from './numbers.ts';
import { ANY_TYPE, typed } from './typed.ts';

const NIL_POINTER = 'runtime error: invalid memory address or nil pointer dereference';

/** @param phrase for the error: `find last on` */
function itemsOf(value: Value, phrase: string, budget: Budget): readonly Value[] {
  if (value === null) throw new Panic(NIL_POINTER);
  if (!(value instanceof GoSlice)) throw new Failure(`Cannot ${phrase} type ${kindOf(value)}`);
  budget.step(value.items.length);
  budget.charge(value.items.length * ELEMENT_BYTES);
  return value.items;
}

const ofList = (
  phrase: string,
  body: (items: readonly Value[], context: CallContext) => Value,
  any = false,
): GoFunction =>
  typed([ANY_TYPE], ([value = null], context) => body(itemsOf(value, phrase, context.budget), context), {
    any,
  });

const withItem = (phrase: string, join: (items: readonly Value[], item: Value) => Value[]): GoFunction =>
  typed([ANY_TYPE, ANY_TYPE], ([value = null, item = null], { budget }) =>
    list(join(itemsOf(value, phrase, budget), item)),
  );

const NIL_LIST = new GoSlice(INTERFACE, [], true);
const part = (phrase: string, select: (items: readonly Value[]) => readonly Value[]): GoFunction =>
  ofList(phrase, (items) => (items.length === 0 ? NIL_LIST : list(select(items))));

const inList = (items: readonly Value[], wanted: Value, budget: Budget): boolean =>
  items.some((item) => deepEqual(wanted, item, budget));

const push = withItem('push on', (items, item) => [...items, item]);
const prepend = withItem('prepend on', (items, item) => [item, ...items]);
const first = ofList('find first on', (items) => items[0] ?? null, true);
const last = ofList('find last on', (items) => items.at(-1) ?? null, true);
const rest = part('find rest on', (items) => items.slice(1));
const initial = part('find initial on', (items) => items.slice(0, -1));
const reverse = ofList('find reverse on', (items) => list(items.toReversed()));
const compact = ofList('compact on', (items) => list(items.filter((item) => !isEmpty(item))));
const uniq = ofList('find uniq on', (items, { budget }) => {
  const unique: Value[] = [];
  for (const item of items) if (!inList(unique, item, budget)) unique.push(item);
  return list(unique);
});

const without = typed(
  [ANY_TYPE],
  ([value = null, ...omitted], { budget }) =>
    list(itemsOf(value, 'find without on', budget).filter((item) => !inList(omitted, item, budget))),
  { variadic: ANY_TYPE },
);

const has = typed([ANY_TYPE, ANY_TYPE], ([wanted = null, value = null], { budget }) =>
  value === null ? false : inList(itemsOf(value, 'find has on', budget), wanted, budget),
);

const slice = typed(
  [ANY_TYPE],
  ([value = null, ...indexes]) => {
    if (value === null) throw new Panic(NIL_POINTER);
    if (!(value instanceof GoSlice)) {
      throw new Failure(`list should be type of slice or array but ${kindOf(value)}`);
    }
    const length = value.items.length;
    if (length === 0) return null;
    const start = indexes[0] === undefined ? 0n : toInt64(indexes[0]);
    const end = indexes[1] === undefined ? BigInt(length) : toInt64(indexes[1]);
    if (start < 0n || start > end || end > BigInt(length))
      throw new Panic('reflect.Value.Slice: slice index out of bounds');
    return new GoSlice(value.elementType, value.items.slice(Number(start), Number(end)));
  },
  { variadic: ANY_TYPE, any: true },
);

const chunk = typed(['int', ANY_TYPE], ([size, value = null], { budget }) => {
  const items = itemsOf(value, 'chunk', budget);
  const length = size instanceof GoInteger ? Number(size.value) : 0;
  const count = Math.floor((items.length - 1) / length) + 1;
  if (!Number.isFinite(count) || count < 0 || (length < 0 && count > 0))
    throw new Panic('runtime error: makeslice: len out of range');
  const chunks = Array.from({ length: count }, (_, i) => list(items.slice(i * length, (i + 1) * length)));
  return new GoSlice('[]interface {}', chunks);
});

const concat = typed(
  [],
  (lists, { budget }) => {
    const items: Value[] = [];
    for (const value of lists) {
      if (value === null) throw new Panic(NIL_POINTER);
      if (!(value instanceof GoSlice)) throw new Panic(`Cannot concat type ${kindOf(value)} as list`);
      budget.step(value.items.length);
      budget.charge(value.items.length * ELEMENT_BYTES);
      for (const item of value.items) items.push(item);
    }
    return items.length === 0 ? NIL_LIST : list(items);
  },
  { variadic: ANY_TYPE, any: true },
);

const makeList = typed([], (values) => list(values), { variadic: ANY_TYPE });

/** The kinds of reflection that values have, as `kindOf` prints them. */
const reflection: GoFunctions = {
  kindIs: typed(['string', ANY_TYPE], ([target, value = null]) => target === kindOf(value)),
  kindOf: typed([ANY_TYPE], ([value = null]) => kindOf(value)),
  typeIs: typed(['string', ANY_TYPE], ([target, value = null]) => target === typeText(value)),
  typeIsLike: typed(['string', ANY_TYPE], ([target, value = null]) =>
    [target, `*${String(target)}`].includes(typeText(value)),
  ),
  typeOf: typed([ANY_TYPE], ([value = null]) => typeText(value)),
};

export const LIST_FUNCTIONS: GoFunctions = {
  ...reflection,
  append: push,
  chunk,
  compact,
  concat,
  first,
  has,
  initial,
  last,
  list: makeList,
  mustAppend: push,
  mustChunk: chunk,
  mustCompact: compact,
  mustFirst: first,
  mustHas: has,
  mustInitial: initial,
  mustLast: last,
  mustPrepend: prepend,
  mustPush: push,
  mustRest: rest,
  mustReverse: reverse,
  mustSlice: slice,
  mustUniq: uniq,
  mustWithout: without,
  prepend,
  push,
  rest,
  reverse,
  slice,
  tuple: makeList,
  uniq,
  without,
};
