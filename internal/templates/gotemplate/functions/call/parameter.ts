import { isNil, typeOf } from '../../values/inspect.ts';
import { GoInteger, GoMap, GoSlice, type TypeName, type Value } from '../../values/value.ts';

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
