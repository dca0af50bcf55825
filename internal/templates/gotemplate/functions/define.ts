import type { Budget } from '../budget.ts';
import { isNil, typeOf } from '../values/inspect.ts';
import { normalize } from '../values/text.ts';
import {
  type CallContext,
  FunctionError,
  type GoFunction,
  GoInteger,
  GoMap,
  GoSlice,
  INTERFACE,
  type ObjectType,
  type TypeName,
  type Value,
} from '../values/value.ts';

/** What a function does. @throws Failure for the errors of Go */
export type Body = (args: readonly Value[], context: CallContext) => Value;

type Read<P extends readonly Parameter<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** A function with a fixed number of parameters. */
export function fixed<const P extends readonly Parameter<unknown>[]>(
  parameters: P,
  body: (args: Read<P>, context: CallContext) => Value,
): Body {
  return (args, context) => {
    if (args.length !== parameters.length) {
      throw new Failure(
        `cannot safecall function: number of arguments does not match function's input arity: expected ${parameters.length}, got ${args.length}`,
      );
    }
    return body(readAll(parameters, args), context);
  };
}

/** A function that takes any number of further arguments, of the type of `rest`. */
export function variadic<const P extends readonly Parameter<unknown>[], R>(
  parameters: P,
  rest: Parameter<R>,
  body: (args: Read<P>, rest: R[], context: CallContext) => Value,
): Body {
  return (args, context) => {
    if (args.length < parameters.length) throw new Panic('reflect: Call with too few input arguments');
    const first = readAll(parameters, args);
    const others = args.slice(parameters.length).map((value) => {
      const read = value === null ? rest.zero : rest.read(value);
      if (read !== undefined) return read;
      throw new Panic(`reflect: cannot use ${typeText(value)} as type ${rest.type} in Call`);
    });
    return body(first, others, context);
  };
}

function readAll<const P extends readonly Parameter<unknown>[]>(
  parameters: P,
  args: readonly Value[],
): Read<P> {
  const read = parameters.map((parameter, i) => {
    const value = args[i] ?? null;
    const result = value === null ? parameter.zero : parameter.read(value);
    if (result !== undefined) return result;
    throw new Panic(`reflect: Call using ${typeText(value)} as type ${parameter.type}`);
  });
  return read as Read<P>;
}

/** Of a function whose errors end the template. */
export const strict = (body: Body): GoFunction => define(body, raise);

/** Of a function that gives a result in any case; it is empty after an error. */
export const lenient = (body: Body): GoFunction => define(body, ({ result }) => result);

/** sprout gives all its functions the signature `func(...any) (any, error)`, and checks arguments itself. */
function define(body: Body, onFailure: (failure: Failure) => Value): GoFunction {
  return {
    parameters: [],
    variadic: INTERFACE,
    returnsInterface: true,
    call: (args, context) => {
      context.budget.step(1 + args.length);
      try {
        return body(args, context);
      } catch (error) {
        if (error instanceof Failure) return onFailure(error);
        throw error;
      }
    },
  };
}

function raise(failure: Failure): never {
  throw new FunctionError(failure.message);
}

/** A type of parameters, and how its values are read. */
export interface Parameter<T> {
  readonly type: TypeName;
  /** What nil becomes: the zero value of the type. */
  readonly zero: T;
  /** Undefined: the value is not of this type. Nothing is converted, as sprout calls functions by reflection. */
  read(value: Value): T | undefined;
}

export const ANY: Parameter<Value> = { type: 'interface {}', zero: null, read: (value) => value };

export const STRING: Parameter<string> = {
  type: 'string',
  zero: '',
  read: (value) => (typeof value === 'string' ? value : undefined),
};

export const BOOL: Parameter<boolean> = {
  type: 'bool',
  zero: false,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
};

export const FLOAT: Parameter<number> = {
  type: 'float64',
  zero: 0,
  read: (value) => (typeof value === 'number' ? value : undefined),
};

export const INT: Parameter<bigint> = {
  type: 'int',
  zero: 0n,
  read: (value) => (value instanceof GoInteger && value.type.name === 'int' ? value.value : undefined),
};

/** A map[string]interface {}. */
export const DICT: Parameter<GoMap> = {
  type: 'map[string]interface {}',
  zero: new GoMap('interface {}', new Map(), true),
  read: (value) => (isDict(value) ? value : undefined),
};

export const isDict = (value: Value | undefined): value is GoMap =>
  value instanceof GoMap && value.valueType === 'interface {}';

/** The name of the type, as `%T` prints it. */
export const typeText = (value: Value): string => typeOf(value) ?? '<nil>';

/** The kind of reflection: named integer types are of the kind of what they are made of. */
export function kindOf(value: Value): string {
  if (value === null) return 'invalid';
  if (value instanceof GoInteger) {
    const { name, bits, signed } = value.type;
    if (!name.includes('.')) return name;
    return name === 'time.Duration' ? 'int64' : `${signed ? 'int' : 'uint'}${bits === 64 ? '' : bits}`;
  }
  if (value instanceof GoSlice) return 'slice';
  if (value instanceof GoMap) return 'map';
  const type = typeText(value);
  if (type.startsWith('*')) return 'ptr';
  return type.includes('.') ? 'struct' : type;
}

/** Whether sprout takes a value as empty: false, 0, nil, or without content. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0) return true;
  if (value instanceof GoInteger) return value.value === 0n;
  if (value instanceof GoMap) return value.entries.size === 0;
  if (typeof value === 'object' && 'items' in value) return value.items.length === 0;
  return isNil(value);
}

/**
 * A function failed as it does in Go, where it returns an error and, beside it, a result. Functions whose name begins with
 * `must` end the template with the error; all others ignore it and give the result.
 */
export class Failure extends Error {
  readonly result: Value;

  /** @param result Default: nil. */
  constructor(message: string, result: Value = null) {
    super(message);
    this.name = new.target.name;
    this.result = result;
  }
}

/** A function panicked in Go. sprout makes it an error, without result. */
export class Panic extends Failure {
  /** The text of the panic. */
  readonly panic: string;

  constructor(message: string) {
    super(`cannot safecall function: recovered from a panic: ${message}`);
    this.panic = message;
  }
}

/** A type of which all objects have content of type T; values have it as unknown content. */
export const objectType = <T>(type: ObjectType<T>): ObjectType<unknown> => type as ObjectType<unknown>;

/** Bytes of work that count as one step. */
const BYTES_PER_STEP = 32;

/** Charges a text that is about to be made, or gone through once. @param length in characters */
export function chargeText(budget: Budget, length: number): void {
  budget.charge(length);
  budget.step(Math.ceil(length / BYTES_PER_STEP));
}

/** Characters or bytes between two checks of the budget, and what they cost. */
const ITEMS_PER_CHECK = 1024;
const STEPS_PER_CHECK = 256;

/** Goes through the characters or bytes of a text one by one, and checks the budget now and then. */
export function* counted<T>(items: Iterable<T>, budget: Budget): Generator<T> {
  let count = 0;
  for (const item of items) {
    count++;
    if (count % ITEMS_PER_CHECK === 0) budget.step(STEPS_PER_CHECK);
    yield item;
  }
}

/** Puts a text together, and charges each part before it is added. */
export class TextBuilder {
  private readonly budget: Budget;
  private text = '';

  constructor(budget: Budget) {
    this.budget = budget;
  }

  get length(): number {
    return this.text.length;
  }

  append(part: string): void {
    this.budget.charge(part.length);
    this.text += part;
  }

  toString(): string {
    return normalize(this.text);
  }
}
