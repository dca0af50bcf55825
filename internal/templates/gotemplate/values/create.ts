/** Short forms to make values. */
import { sortTexts } from './text.ts';
import { GoInteger, GoMap, GoSlice, INTERFACE, type IntegerType, type Value } from './value.ts';

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
