/**
 * The values that a template computes with. They keep the distinctions of Go that a template can show: `printf "%T"`,
 * `eq` of different types, nil slices, the length of a string in bytes. Values are immutable, except for maps, which
 * functions such as `set` change in place.
 *
 * | Go | here |
 * | --- | --- |
 * | nil (an interface without a value) | `null` |
 * | bool, float64 | `boolean`, `number` |
 * | string | `string`, see text.ts for bytes that are not UTF-8 |
 * | int, int64, uint8, time.Duration … | `GoInteger` |
 * | []interface {}, []string … | `GoSlice` |
 * | map[string]interface {}, map[string]string … | `GoMap` |
 * | time.Time, *semver.Version, error … | `GoObject` |
 *
 * One file, since a value may have methods, which are functions, which take values.
 */
import type { Random } from '../../../framework/base/random.ts';
import type { Clock } from '../../../framework/base/time/clock.ts';
import type { Budget } from '../budget.ts';
import { fromOutside, sortTexts } from './text.ts';

export type Value = null | boolean | number | string | GoInteger | GoSlice | GoMap | GoObject;

/** The name of a type as `%T` prints it: `int`, `[]interface {}`, `map[string]interface {}`, `time.Time`. */
export type TypeName = string;

/** `any` of Go, as `%T` prints it. */
export const INTERFACE: TypeName = 'interface {}';

/** An integer type of Go. */
export interface IntegerType {
  /** As `%T` prints it. */
  readonly name: string;
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
  /** Of named types, such as time.Duration. Default: none. */
  readonly methods?: GoMethods;
  /** The result of the method String of a named type, which `print` and `%v` use. Default: the digits. */
  text?(value: bigint): string;
}

/** An integer with its type. Values out of the range of the type wrap around, as in Go. */
export class GoInteger {
  readonly type: IntegerType;
  readonly value: bigint;

  constructor(type: IntegerType, value: bigint) {
    this.type = type;
    this.value = type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
  }
}

/** A slice of Go with the type of its elements. Functions return new slices; they never change one. */
export class GoSlice {
  readonly elementType: TypeName;
  /** A nil slice is empty, but `%#v` and JSON show the difference. */
  readonly isNil: boolean;
  /** Of a type with a name. Default: none. */
  readonly named: NamedType | undefined;
  #items: readonly Value[] | (() => readonly Value[]);

  /** @param items or what makes them, for lists that are rarely looked at */
  constructor(
    elementType: TypeName,
    items: readonly Value[] | (() => readonly Value[]),
    isNil = false,
    named?: NamedType,
  ) {
    this.elementType = elementType;
    this.#items = items;
    this.isNil = isNil;
    this.named = named;
  }

  get items(): readonly Value[] {
    if (typeof this.#items === 'function') this.#items = this.#items();
    return this.#items;
  }

  get typeName(): TypeName {
    return this.named?.name ?? `[]${this.elementType}`;
  }
}

/** A map of Go with keys of type string, and the type of its values. Passed by reference, as in Go. */
export class GoMap {
  readonly valueType: TypeName;
  /** In any order; templates see the order of `sortedKeys`. */
  readonly entries: Map<string, Value>;
  readonly isNil: boolean;
  /** Of a type with a name. Default: none. */
  readonly named: NamedType | undefined;

  constructor(valueType: TypeName, entries: Map<string, Value>, isNil = false, named?: NamedType) {
    this.valueType = valueType;
    this.entries = entries;
    this.isNil = isNil;
    this.named = named;
  }

  get typeName(): TypeName {
    return this.named?.name ?? `map[string]${this.valueType}`;
  }
}

/** A type of Go with a name of its own, which is made of a list or a map. */
interface NamedType {
  /** As `%T` prints it. */
  readonly name: TypeName;
  readonly methods: GoMethods;
}

/** Methods that a template can call, by name. The receiver is bound, as the first argument of `bind`. */
export type GoMethods = Readonly<Record<string, GoMethod>>;

/** Returns the method as a function, for a receiver. */
type GoMethod = (receiver: Value) => GoFunction;

/** What the objects of one Go type have in common. */
export interface ObjectType<T> {
  /** As `%T` prints it: `time.Time`, `*semver.Version`. */
  readonly name: TypeName;
  readonly methods: GoMethods;
  /** Exported fields that a template can read. Default: none. */
  readonly fields?: Readonly<Record<string, (content: T) => Value>>;
  /** The result of the method String or Error, which `print` and `%v` use. */
  text(content: T): string;
  /** The result of GoString, for `%#v`. Default: the result of `text`. */
  goText?(content: T): string;
  /** The fields that encoding/json writes, in their order. Default: null is written. */
  json?(content: T): readonly (readonly [string, Value])[];
  /** Whether two of them are equal, for `eq` and `deepEqual`. Default: identity. */
  equal?(one: T, other: T): boolean;
}

/** A value of a Go type that templates use only by its methods and fields. */
export class GoObject<T = unknown> {
  readonly type: ObjectType<T>;
  readonly content: T;
  /** For pointers only. */
  readonly isNil: boolean;

  constructor(type: ObjectType<T>, content: T, isNil = false) {
    this.type = type;
    this.content = content;
    this.isNil = isNil;
  }

  get typeName(): TypeName {
    return this.type.name;
  }
}

/**
 * A function that templates can call. The engine checks number and types of the arguments before the call, with the error
 * texts of Go: `wrong number of args for f: want 2 got 1`, `wrong type for value; expected string; got int`. An untyped
 * constant is converted to the type of its parameter, so a function gets exactly what it declares:
 *
 * - `string`, `bool`, `float64`: the JavaScript value
 * - `int`, `int64`, `uint` …: a `GoInteger` of this type
 * - `interface {}`: any value, `null` for nil
 * - `[]interface {}`, `map[string]interface {}` …: a `GoSlice` or `GoMap` of exactly this type; for nil one with `isNil`
 * - `time.Time` …: a `GoObject` with this type name
 */
export interface GoFunction {
  readonly parameters: readonly TypeName[];
  /** Type of further arguments, any number of them (`...T` of Go). Default: none allowed. */
  readonly variadic?: TypeName;
  /** The static type of the result is `interface {}`, which errors show. Default: the type of the result. */
  readonly returnsInterface?: true;
  /**
   * Returns the result, or throws a `FunctionError` for an error that Go would return. Nothing else is thrown, except for
   * limit errors of `context.budget`.
   */
  call(args: readonly Value[], context: CallContext): Value;
}

/** What a function may use besides its arguments. */
export interface CallContext {
  /** Charged before anything large is allocated or computed. */
  readonly budget: Budget;
  readonly clock: Clock;
  readonly random: Random;
}

/** Functions by name. A name that is absent fails when the template is parsed: `function "env" not defined`. */
export type GoFunctions = Readonly<Record<string, GoFunction>>;

// Short forms to make values.

/** The integer types of the language. `rune` is int32 and `byte` is uint8, as in Go. */
export const INTEGER_TYPES = {
  int: { name: 'int', bits: 64, signed: true },
  int8: { name: 'int8', bits: 8, signed: true },
  int16: { name: 'int16', bits: 16, signed: true },
  int32: { name: 'int32', bits: 32, signed: true },
  int64: { name: 'int64', bits: 64, signed: true },
  uint: { name: 'uint', bits: 64, signed: false },
  uint8: { name: 'uint8', bits: 8, signed: false },
  uint16: { name: 'uint16', bits: 16, signed: false },
  uint32: { name: 'uint32', bits: 32, signed: false },
  uint64: { name: 'uint64', bits: 64, signed: false },
} as const satisfies Record<string, IntegerType>;

/** A Go `int`: 64 bits. @param value a safe integer, if it is a number */
export const int = (value: number | bigint): GoInteger => new GoInteger(INTEGER_TYPES.int, BigInt(value));

/** A Go `int64`. @param value a safe integer, if it is a number */
export const int64 = (value: number | bigint): GoInteger => new GoInteger(INTEGER_TYPES.int64, BigInt(value));

/** A `[]interface {}`. */
export const list = (items: readonly Value[]): GoSlice => new GoSlice(INTERFACE, items);

/** A `[]string`. */
export const strings = (items: readonly string[]): GoSlice => new GoSlice('string', items);

/** A `map[string]interface {}`. */
export const dict = (entries: Iterable<readonly [string, Value]> = []): GoMap =>
  new GoMap(INTERFACE, new Map(entries));

/** A `map[string]string`. */
export const stringMap = (entries: Iterable<readonly [string, string]> = []): GoMap =>
  new GoMap('string', new Map(entries));

/** The keys in the order of their bytes, in which maps are printed and ranged over. */
export const sortedKeys = (map: GoMap): string[] => sortTexts([...map.entries.keys()]);

/**
 * The value of parsed JSON, as encoding/json decodes it into an `interface {}`: objects are map[string]interface {},
 * arrays []interface {}, numbers float64. The caller limits size and depth (see base/json/json-text.ts). Undefined
 * members are left out, and what JSON does not have becomes nil.
 */
export function fromJson(json: unknown): Value {
  if (typeof json === 'string') return fromOutside(json);
  if (typeof json === 'boolean' || typeof json === 'number') return json;
  if (Array.isArray(json)) return list(json.map(fromJson));
  if (typeof json !== 'object' || json === null) return null;
  const members = Object.entries(json).filter(([, value]) => value !== undefined);
  return dict(members.map(([key, value]) => [fromOutside(key), fromJson(value)]));
}

/**
 * The error that a Go function returns. The message is the one of Go, which often quotes the arguments; the engine marks
 * it as quoting data.
 */
export class FunctionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
