/** The functions for dictionaries: map[string]interface {}. Those that change one change it in place. */
import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { dict as dictOf, GoMap, INTERFACE, list, sortedKeys, strings, type Value } from '../values/value.ts';
import { toText } from './convert/cast.ts';
import {
  ANY,
  type Body,
  DICT,
  Failure,
  isDict,
  isEmpty,
  Panic,
  STRING,
  typeText,
  variadic,
} from './define.ts';

const NIL_DICT = new GoMap(INTERFACE, new Map(), true);

/**
 * The arguments with the dictionary at the end; sprout takes it first, too. It is moved once; sprout would move
 * dictionaries on and on if all arguments were some, and end the process.
 */
const withDictLast = (args: readonly Value[]): readonly Value[] =>
  isDict(args[0]) ? [...args.slice(1), args[0]] : args;

function checkCount(args: readonly Value[], wanted: number, result: Value): void {
  if (args.length !== wanted) throw new Failure(`expected ${wanted} arguments, got ${args.length}`, result);
}

/** The key, which is a string. @param result beside the error */
function keyOf(args: readonly Value[], moved: readonly Value[], result: Value): string {
  const [key = null] = moved;
  if (typeof key === 'string') return key;
  if (moved === args) throw new Failure(`expected map or string, got ${typeText(key)}`, result);
  throw new Panic(`interface conversion: interface {} is ${typeText(key)}, not string`);
}

const notADict = (): Failure => new Failure('last argument must be a map[string]any', NIL_DICT);

const withDict = (count: number, result: Value, body: (key: string, args: readonly Value[]) => Value): Body =>
  variadic([], ANY, (_, args) => {
    checkCount(args, count, result);
    const moved = withDictLast(args);
    return body(keyOf(args, moved, result), moved);
  });

/** The entries of a dictionary that is read; the conversion of any other value panics. */
function entriesOf(value: Value | undefined): ReadonlyMap<string, Value> {
  if (isDict(value)) return value.entries;
  throw new Panic(
    `interface conversion: interface {} is ${typeText(value ?? null)}, not map[string]interface {}`,
  );
}

const get = withDict(
  2,
  '',
  (key, [, target]) => entriesOf(target).get(key) ?? missing(entriesOf(target), key),
);

const missing = (entries: ReadonlyMap<string, Value>, key: string): Value => (entries.has(key) ? null : '');

const set = variadic([], ANY, (_, args, { budget }) => {
  checkCount(args, 3, NIL_DICT);
  const moved = withDictLast(args);
  const key = keyOf(args, moved, NIL_DICT);
  const [, value = null, target = null] = moved;
  if (!isDict(target)) throw notADict();
  if (target.isNil) throw new Panic('assignment to entry in nil map');
  budget.charge(key.length + ELEMENT_BYTES);
  target.entries.set(key, value);
  return target;
});

const unset = withDict(2, NIL_DICT, (key, [, target = null]) => {
  if (!isDict(target)) throw notADict();
  target.entries.delete(key);
  return target;
});

const hasKey = withDict(2, false, (key, [, target]) => entriesOf(target).has(key));

function chargeEntries(budget: Budget, count: number): void {
  budget.step(count);
  budget.charge(count * 2 * ELEMENT_BYTES);
}

const dict = variadic([], ANY, (_, args, { budget }) => {
  chargeEntries(budget, args.length);
  const values = args.length % 2 === 0 ? args : [...args, ''];
  const entries = new Map<string, Value>();
  for (let i = 0; i < values.length; i += 2) {
    entries.set(toText(values[i] ?? null, budget), values[i + 1] ?? null);
  }
  return dictOf(entries);
});

/** Keys and values in the order of the keys; Go gives them in any order. */
const sorted = (dicts: readonly GoMap[], budget: Budget): [string, Value][] =>
  dicts.flatMap((map) => {
    chargeEntries(budget, map.entries.size);
    return sortedKeys(map).map((key): [string, Value] => [key, map.entries.get(key) ?? null]);
  });

/** Selects entries by the keys that are given. */
const selection = (isSelected: (key: string, keys: ReadonlySet<string>) => boolean): Body =>
  variadic([], ANY, (_, args, { budget }) => {
    if (args.length < 2) throw new Failure(`expected 2 arguments, got ${args.length}`, NIL_DICT);
    const moved = withDictLast(args);
    const source = moved.at(-1) ?? null;
    if (typeof moved[0] !== 'string') {
      throw new Failure(`expected map or string, got ${typeText(moved[0] ?? null)}`, NIL_DICT);
    }
    if (!isDict(source)) throw notADict();
    const keys = new Set<string>();
    for (const key of moved.slice(0, -1)) {
      if (typeof key !== 'string') throw new Failure('all keys must be strings', NIL_DICT);
      keys.add(key);
    }
    chargeEntries(budget, source.entries.size);
    return dictOf([...source.entries].filter(([key]) => isSelected(key, keys)));
  });

const pluck = variadic([STRING], DICT, ([key], dicts, { budget }) => {
  chargeEntries(budget, dicts.length);
  return list(dicts.filter((map) => map.entries.has(key)).map((map) => map.entries.get(key) ?? null));
});

/** Keys that lead into nested dictionaries, a default, and the dictionary. A key with dots is several. */
const dig = variadic([], ANY, (_, args, { budget }) => {
  if (args.length < 3) throw new Failure('dig requires at least three arguments');
  const source = args.at(-1) ?? null;
  const fallback = args.at(-2) ?? null;
  if (!isDict(source)) throw new Failure('last argument must be a map[string]any');
  let value: Value | undefined = source;
  for (const key of args.slice(0, -2)) {
    if (typeof key !== 'string') throw new Failure('all keys must be strings');
    for (const part of partsOf(key, budget)) value = isDict(value) ? value.entries.get(part) : undefined;
  }
  return value ?? fallback;
});

/** What is between dots, one by one: a list of all of them would take more memory than the key. */
function* partsOf(key: string, budget: Budget): Generator<string> {
  let start = 0;
  for (let end = key.indexOf('.'); end >= 0; end = key.indexOf('.', start)) {
    budget.step();
    yield key.slice(start, end);
    start = end + 1;
  }
  budget.step();
  yield key.slice(start);
}

const merging = (overwrites: boolean): Body =>
  variadic([DICT], DICT, ([target], sources, { budget }) => {
    // Only a nil target is replaced, and only if there is something to merge.
    const result = target.isNil && sources.some((source) => !source.isNil) ? dictOf() : target;
    for (const source of sources) merge(result, source, overwrites, budget);
    return result;
  });

const mergeKeeping = merging(false);
const mergeOverwriting = merging(true);

export const DICTS = {
  dict,
  dig,
  get,
  hasKey,
  keys: variadic([], DICT, (_, dicts, { budget }) => strings(sorted(dicts, budget).map(([key]) => key))),
  merge: mergeKeeping,
  mergeOverwrite: mergeOverwriting,
  mustMerge: mergeKeeping,
  mustMergeOverwrite: mergeOverwriting,
  omit: selection((key, keys) => !keys.has(key)),
  pick: selection((key, keys) => keys.has(key)),
  pluck,
  set,
  unset,
  values: variadic([], DICT, (_, dicts, { budget }) => list(sorted(dicts, budget).map(([, value]) => value))),
} satisfies Record<string, Body>;

/* `merge` and `mergeOverwrite`, as the library mergo does it with the settings of sprout. */

/** Adds the entries of `source` to `target`, maps in maps too. @param overwrites whether they replace existing ones */
function merge(target: GoMap, source: GoMap, overwrites: boolean, budget: Budget, depth = 0): void {
  budget.checkDepth(depth);
  budget.step(source.entries.size);
  budget.charge(source.entries.size * 32);
  for (const [key, value] of source.entries) {
    const existing = target.entries.get(key);
    if (value === null) {
      if (overwrites) assign(target, key, source, value);
      continue;
    }
    if (value instanceof GoMap && existing instanceof GoMap) {
      // A nil map in a map stays as it is.
      if (!existing.isNil) merge(existing, value, overwrites, budget, depth + 1);
      continue;
    }
    if (overwrites || existing === undefined || isUnset(existing, target)) assign(target, key, source, value);
  }
}

/** In a map of values of any type, only nil is unset; in one of strings, the empty string is. */
const isUnset = (value: Value, map: GoMap): boolean =>
  map.valueType === INTERFACE ? value === null : isEmpty(value);

/** @throws Panic if the target has values of another type */
export function assign(target: GoMap, key: string, source: GoMap, value: Value): void {
  if (target.valueType !== INTERFACE && target.valueType !== source.valueType) {
    throw new Panic(
      `reflect.Value.SetMapIndex: value of type ${source.valueType} is not assignable to type ${target.valueType}`,
    );
  }
  target.entries.set(key, value);
}
