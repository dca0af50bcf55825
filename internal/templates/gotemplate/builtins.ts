import { type Budget, BYTES_PER_STEP } from './budget.ts';
import { print, printf, println } from './format/printf.ts';
import { isPrint } from './format/quote.ts';
import { isNil, isTrue, typeOf, zeroOf } from './values/inspect.ts';
import { byteLength, compareText, isEscapedByte, sliceBytes, toBytes } from './values/text.ts';
import {
  type CallContext,
  FunctionError,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTEGER_TYPES,
  INTERFACE,
  int,
  type TypeName,
  type Value,
} from './values/value.ts';

/**
 * A parameter that takes the argument as it is: also a nil constant, or a value that does not exist, as undefined. Functions
 * of Go have it as `reflect.Value`.
 */
export const RAW: TypeName = 'reflect.Value';

/** A function of text/template itself. */
export interface Builtin {
  readonly parameters: readonly TypeName[];
  /** Default: no further arguments. */
  readonly variadic?: TypeName;
  /** @param args undefined only for `RAW` parameters */
  callRaw(args: readonly (Value | undefined)[], context: CallContext): Value;
}

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const escapeHtml = (text: string): string => text.replace(/[\0"'&<>]/g, (char) => HTML[char] ?? char);

const JS: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '"': '\\"' };

/** For a string literal of JavaScript. */
function escapeJs(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = isEscapedByte(text, at) ? 0xfffd : (text.codePointAt(at) ?? 0);
    const char = isEscapedByte(text, at) ? text.charAt(at) : String.fromCodePoint(code);
    if (code > 0xffff) at++;
    const known = JS[char];
    if (known) parts.push(known);
    else if (code >= 0x80 ? isPrint(code) : code >= 0x20 && !'<>&='.includes(char)) parts.push(char);
    else parts.push(`\\u${code.toString(16).toUpperCase().padStart(4, '0')}`);
  }
  return parts.join('');
}

/** For a value in the query of a URL. */
function escapeQuery(text: string): string {
  const parts: string[] = [];
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.~-]/.test(char)) parts.push(char);
    else parts.push(char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  }
  return parts.join('');
}

/** What one character may become: `\U0010FFFF`. */
const MAX_GROWTH = 10;

/** The arguments as text: one string as it is, others as `print` writes them, nil as `<no value>`. */
const escaper = (change: (text: string) => string): Builtin => ({
  parameters: [],
  variadic: INTERFACE,
  callRaw: (args, { budget }) => {
    const values = args.map((value): Value => value ?? '<no value>');
    const [only] = values;
    const text = values.length === 1 && typeof only === 'string' ? only : print(values, budget);
    budget.charge(text.length * MAX_GROWTH);
    budget.step(text.length / 16);
    return change(text);
  },
});

const ESCAPERS = {
  html: escaper(escapeHtml),
  js: escaper(escapeJs),
  urlquery: escaper(escapeQuery),
} satisfies Record<string, Builtin>;

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

const COMPARISONS = {
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

const ACCESS = { index, slice, len } satisfies Record<string, Builtin>;

const printer = (write: typeof print): Builtin => ({
  parameters: [],
  variadic: INTERFACE,
  callRaw: (args, { budget }) => write(known(args), budget),
});

const known = (args: readonly (Value | undefined)[]): Value[] => args.map((value) => value ?? null);

/** Called only in the order of their arguments, and only as far as needed: see `evaluator.ts`. */
const shortCircuit: Builtin = {
  parameters: [RAW],
  variadic: RAW,
  callRaw: () => {
    throw new FunctionError('unreachable');
  },
};

/** The functions of text/template, without those of sprig. */
export const BUILTINS = {
  and: shortCircuit,
  or: shortCircuit,
  not: { parameters: [RAW], callRaw: ([value = null]) => !isTrue(value) },
  // Data has no functions, so the result is always an error, which the evaluator writes.
  call: { parameters: [RAW], variadic: RAW, callRaw: shortCircuit.callRaw },
  print: printer(print),
  println: printer(println),
  printf: {
    parameters: ['string'],
    variadic: INTERFACE,
    callRaw: ([format, ...args], { budget }) =>
      printf(typeof format === 'string' ? format : '', known(args), budget),
  },
  ...ACCESS,
  ...COMPARISONS,
  ...ESCAPERS,
} satisfies Record<string, Builtin>;
