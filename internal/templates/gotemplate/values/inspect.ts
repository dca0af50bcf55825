import {
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTEGER_TYPES,
  INTERFACE,
  type IntegerType,
  type TypeName,
  type Value,
} from './value.ts';

/** The type of a value; undefined for `null`, which has none (`%T` prints `<nil>`). */
export function typeOf(value: Value): TypeName | undefined {
  if (value === null) return undefined;
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    case 'string':
      return 'string';
    default:
      return value instanceof GoInteger ? value.type.name : value.typeName;
  }
}

/** Whether a value is nil, as `eq x nil` compares it: also slices, maps and pointers without content. */
export function isNil(value: Value): boolean {
  if (value instanceof GoSlice || value instanceof GoMap || value instanceof GoObject) return value.isNil;
  return value === null;
}

/** Whether `if` takes a value as true: not false, 0, nil, or empty. Structs are always true. */
export function isTrue(value: Value): boolean {
  if (value === null) return false;
  if (typeof value === 'object') {
    if (value instanceof GoInteger) return value.value !== 0n;
    if (value instanceof GoSlice) return value.items.length > 0;
    if (value instanceof GoMap) return value.entries.size > 0;
    return !value.isNil;
  }
  // NaN is not 0, and therefore true in Go.
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}

/** The zero value of a type, which `index` gives for a key that a map does not have. Undefined: not known. */
export function zeroOf(type: TypeName): Value | undefined {
  if (type === 'string') return '';
  if (type === 'bool') return false;
  if (type === 'float64') return 0;
  if (type === INTERFACE) return null;
  if (type.startsWith('[]')) return new GoSlice(type.slice(2), [], true);
  if (type.startsWith(MAP)) return new GoMap(type.slice(MAP.length), new Map(), true);
  const integer = Object.values<IntegerType>(INTEGER_TYPES).find(({ name }) => name === type);
  return integer && new GoInteger(integer, 0n);
}

const MAP = 'map[string]';
