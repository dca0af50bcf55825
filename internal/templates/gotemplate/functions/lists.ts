/** The functions for lists. Each takes a list of any type; most give a []interface {}. */
import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import {
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTERFACE,
  list as listOf,
  type Value,
} from '../values/value.ts';
import { castToInteger } from './convert/cast.ts';
import { deepEqual } from './convert/deep.ts';
import { ANY, type Body, Failure, fixed, INT, isEmpty, kindOf, Panic, typeText, variadic } from './define.ts';

const NIL_LIST = new GoSlice(INTERFACE, [], true);
const CHUNKS = '[]interface {}';

/** Charges a list of this length, which is about to be made or gone through. */
function chargeList(budget: Budget, length: number): void {
  budget.step(length);
  budget.charge(length * ELEMENT_BYTES);
}

/** The items of a list. @param verb for the error of nil @param phrase for the error of other types */
function itemsOf(
  value: Value,
  verb: string,
  phrase: string,
  result: Value,
  budget: Budget,
): readonly Value[] {
  if (value === null) throw new Failure(`cannot ${verb} nil`, result);
  if (!(value instanceof GoSlice)) throw new Failure(`cannot ${phrase} type ${kindOf(value)}`, result);
  chargeList(budget, value.items.length);
  return value.items;
}

const ofList = (
  verb: string,
  phrase: string,
  result: Value,
  body: (items: readonly Value[]) => Value,
): Body => fixed([ANY], ([value], { budget }) => body(itemsOf(value, verb, phrase, result, budget)));

/** A list without some items; an empty one becomes nil. */
const part = (verb: string, select: (items: readonly Value[]) => readonly Value[]): Body =>
  ofList(verb, `find ${verb} on`, NIL_LIST, (items) =>
    items.length === 0 ? NIL_LIST : listOf(select(items)),
  );

const item = (verb: string, index: number): Body =>
  ofList(verb, `find ${verb} on`, null, (items) => items.at(index) ?? null);

/**
 * The arguments with the list at the end. Sprout takes it first, too: then the first argument is a list or nil. It is
 * moved once; sprout would move lists on and on if all arguments were lists, and end the process.
 */
function withListLast(args: readonly Value[]): { list: Value; others: readonly Value[] } {
  const [first = null, ...rest] = args;
  return first === null || first instanceof GoSlice
    ? { list: first, others: rest }
    : { list: args.at(-1) ?? null, others: args.slice(0, -1) };
}

const wrongCount = (wanted: number, args: readonly Value[], result: Value): Failure =>
  new Failure(`expected ${wanted} arguments, got ${args.length}`, result);

const addItem = (verb: string, join: (items: readonly Value[], value: Value) => Value[]): Body =>
  variadic([], ANY, (_, args, { budget }) => {
    if (args.length !== 2) throw wrongCount(2, args, listOf([]));
    const { list, others } = withListLast(args);
    return listOf(join(itemsOf(list, `${verb} to`, `${verb} on`, NIL_LIST, budget), others[0] ?? null));
  });

const append = addItem('append', (items, value) => [...items, value]);
const prepend = addItem('prepend', (items, value) => [value, ...items]);

const chunk = fixed([INT, ANY], ([size, value], { budget }) => {
  const items = itemsOf(value, 'chunk', 'chunk', new GoSlice(CHUNKS, [], true), budget);
  if (size === 0n) throw new Panic('runtime error: integer divide by zero');
  const length = BigInt(items.length);
  const count = BigInt.asIntN(64, length + size - 1n) / size;
  if (count < 0n || (size < 0n && count > 0n)) throw new Panic('runtime error: makeslice: len out of range');
  chargeList(budget, Number(count));
  const chunks: Value[] = [];
  for (let start = 0; chunks.length < Number(count); start += Number(size)) {
    chunks.push(listOf(items.slice(start, start + Number(size))));
  }
  return new GoSlice(CHUNKS, chunks);
});

const compact = ofList('compact', 'compact on', NIL_LIST, (items) =>
  listOf(items.filter((value) => !isEmpty(value))),
);

const concat = variadic([], ANY, (_, args, { budget }) =>
  listOf(
    args.flatMap((value) => {
      if (!(value instanceof GoSlice)) return [];
      chargeList(budget, value.items.length);
      return [...value.items];
    }),
  ),
);

const has = fixed([ANY, ANY], ([wanted, value], { budget }) => {
  if (value === null) return false;
  const items = itemsOf(value, 'has', 'find has on', false, budget);
  return items.some((candidate) => deepEqual(wanted, candidate, budget));
});

const slice = variadic([], ANY, (_, args) => {
  if (args.length === 0) throw wrongCount(2, args, listOf([]));
  if (args.length === 1) return args[0] ?? null;
  const { list, others } = withListLast(args);
  if (list === null) throw new Failure('cannot slice nil');
  if (!(list instanceof GoSlice)) {
    throw new Failure(`last argument must be a slice but got ${typeText(list)}`);
  }
  const length = list.items.length;
  if (length === 0) return null;
  const [start = 0, end = length] = others.map((index) => Number(castToInteger(index) ?? 0n));
  if (start < 0 || start > length) throw new Failure('start index out of bounds');
  if (end < start || end > length) throw new Failure('end index out of bounds');
  return new GoSlice(list.elementType, list.items.slice(start, end));
});

const uniq = ofList('uniq', 'find uniq on', NIL_LIST, (items) => {
  const seen = new Set<unknown>();
  return listOf(
    items.filter((value) => {
      const key = comparableKey(value, seen.size === 0);
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    }),
  );
});

const without = variadic([], ANY, (_, args, { budget }) => {
  if (args.length < 2) throw wrongCount(2, args, listOf([]));
  const { list, others } = withListLast(args);
  if (list === null) throw new Failure('cannot without nil', NIL_LIST);
  if (!(list instanceof GoSlice)) {
    throw new Failure(`last argument must be a slice but got ${typeText(list)}`, NIL_LIST);
  }
  chargeList(budget, list.items.length);
  const omitted = new Set(others.map((value) => comparableKey(value)));
  return listOf(list.items.filter((value) => !omitted.has(comparableKey(value))));
});

const first = item('first', 0);
const initial = part('initial', (items) => items.slice(0, -1));
const last = item('last', -1);
const makeList = variadic([], ANY, (_, values, { budget }) => {
  chargeList(budget, values.length);
  return listOf(values);
});
const rest = part('rest', (items) => items.slice(1));
const reverse = ofList('reverse', 'find reverse on', NIL_LIST, (items) => listOf(items.toReversed()));

export const LISTS = {
  append,
  chunk,
  compact,
  concat,
  first,
  has,
  initial,
  last,
  list: makeList,
  mustAppend: append,
  mustChunk: chunk,
  mustCompact: compact,
  mustFirst: first,
  mustHas: has,
  mustInitial: initial,
  mustLast: last,
  mustPrepend: prepend,
  mustPush: append,
  mustRest: rest,
  mustReverse: reverse,
  mustSlice: slice,
  mustUniq: uniq,
  mustWithout: without,
  prepend,
  push: append,
  rest,
  reverse,
  slice,
  tuple: makeList,
  uniq,
  without,
} satisfies Record<string, Body>;

/**
 * A key that two values share if they are equal as keys of a map of Go: of the same type, with the same value. NaN equals
 * nothing. @param isFirst whether the map has no keys yet, for the error @throws Panic for lists and maps, which cannot be keys
 */
function comparableKey(value: Value, isFirst = false): unknown {
  if (value instanceof GoSlice || value instanceof GoMap) {
    const type = typeText(value);
    throw new Panic(
      isFirst ? `hash of unhashable type: ${type}` : `runtime error: hash of unhashable type ${type}`,
    );
  }
  if (value instanceof GoInteger) return `${value.type.name}:${value.value}`;
  if (value instanceof GoObject) {
    return value.typeName.startsWith('*')
      ? value.content
      : `${value.typeName}:${value.type.text(value.content)}`;
  }
  if (typeof value === 'number') return Number.isNaN(value) ? {} : value;
  return typeof value === 'string' ? `string:${value}` : value;
}
