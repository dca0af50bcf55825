import { BYTES_PER_STEP } from '../limits/budget.ts';
import { INTEGER_TYPES, int } from '../values/create.ts';
import { FunctionError } from '../values/function-error.ts';
import { isNil, typeOf, zeroOf } from '../values/inspect.ts';
import { byteLength, sliceBytes, toBytes } from '../values/text.ts';
import { GoInteger, GoMap, GoObject, GoSlice, type Value } from '../values/value.ts';
import { type Builtin, RAW } from './builtin.ts';

/** `index x 1 "k"`: x[1]["k"]. */
const index: Builtin = {
  parameters: [RAW],
  variadic: RAW,
  callRaw: ([item = null, ...keys], { budget }) => {
    if (item === null) throw new FunctionError('index of untyped nil');
    return keys.reduce<Value>((current, key) => {
      if (typeof current === 'string') budget.step(current.length / BYTES_PER_STEP);
      return elementOf(current, key ?? null);
    }, item);
  },
};

function elementOf(item: Value, key: Value): Value {
  if (item === null || (item instanceof GoObject && item.isNil))
    throw new FunctionError('index of nil pointer');
  if (item instanceof GoMap) {
    if (key === null) throw new FunctionError('value is nil; should be of type string');
    if (typeof key !== 'string') throw new FunctionError(`value has type ${typeOf(key)}; should be string`);
    return item.entries.get(key) ?? zeroOf(item.valueType) ?? null;
  }
  if (item instanceof GoSlice) {
    const at = indexOf(key, item.items.length);
    const element = item.items[at];
    if (element === undefined) throw new FunctionError('reflect: slice index out of range');
    return element;
  }
  if (typeof item === 'string') {
    const bytes = toBytes(item);
    const byte = bytes[indexOf(key, bytes.length)];
    if (byte === undefined) throw new FunctionError('reflect: string index out of range');
    return new GoInteger(INTEGER_TYPES.uint8, BigInt(byte));
  }
  throw new FunctionError(`can't index item of type ${typeOf(item)}`);
}

function indexOf(key: Value, length: number): number {
  if (key === null) throw new FunctionError('cannot index slice/array with nil');
  if (!(key instanceof GoInteger))
    throw new FunctionError(`cannot index slice/array with type ${typeOf(key)}`);
  // Go converts to int64, so that large unsigned numbers are negative.
  const at = BigInt.asIntN(64, key.value);
  if (at < 0n || at > BigInt(length)) throw new FunctionError(`index out of range: ${at}`);
  return Number(at);
}

/** `slice x 1 2`: x[1:2]. The capacity of a slice is its length here. */
const slice: Builtin = {
  parameters: [RAW],
  variadic: RAW,
  callRaw: ([item = null, ...indexes], { budget }) => {
    if (item === null) throw new FunctionError('slice of untyped nil');
    if (item instanceof GoObject && item.isNil) throw new FunctionError('slice of nil pointer');
    if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
    const isText = typeof item === 'string';
    if (isText && indexes.length === 3) throw new FunctionError('cannot 3-index slice a string');
    if (!isText && !(item instanceof GoSlice))
      throw new FunctionError(`can't slice item of type ${typeOf(item)}`);
    const length = isText ? byteLength(item) : item.items.length;
    budget.step(length / BYTES_PER_STEP);
    const [from = 0, to = length, end = length] = indexes.map((key) => indexOf(key ?? null, length));
    if (from > to) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
    if (to > end) throw new FunctionError(`invalid slice index: ${to} > ${end}`);
    budget.charge(to - from);
    if (isText) return sliceBytes(item, from, to);
    return new GoSlice(item.elementType, item.items.slice(from, to), item.isNil);
  },
};

const len: Builtin = {
  parameters: [RAW],
  callRaw: ([item], { budget }) => {
    // What Go says for a constant nil.
    if (item === undefined) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
    if (item === null || (item instanceof GoObject && isNil(item)))
      throw new FunctionError('len of nil pointer');
    if (typeof item === 'string') {
      budget.step(item.length / BYTES_PER_STEP);
      return int(byteLength(item));
    }
    if (item instanceof GoSlice) return int(item.items.length);
    if (item instanceof GoMap) return int(item.entries.size);
    throw new FunctionError(`len of type ${typeOf(item)}`);
  },
};

export const ACCESS = { index, slice, len } satisfies Record<string, Builtin>;
