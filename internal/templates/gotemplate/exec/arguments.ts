/** Conversion of arguments to the types of parameters. Each function returns the text of an error as a `Mismatch`. */
import { RAW } from '../builtins/builtin.ts';
import { nodeText } from '../parse/node-text.ts';
import type { Operand as OperandNode } from '../parse/nodes.ts';
import { INTEGER_TYPES } from '../values/create.ts';
import { typeOf, zeroOf } from '../values/inspect.ts';
import {
  GoInteger,
  GoMap,
  GoSlice,
  INTERFACE,
  type IntegerType,
  type TypeName,
  type Value,
} from '../values/value.ts';
import { type Operand, typeName } from './operand.ts';

/** An argument does not fit; the text is the error of Go. */
export class Mismatch {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const INTEGERS: ReadonlyMap<TypeName, IntegerType> = new Map(Object.entries(INTEGER_TYPES));

const canBeNil = (type: TypeName): boolean =>
  type === INTERFACE ||
  type === RAW ||
  type.startsWith('[]') ||
  type.startsWith('map[') ||
  type.startsWith('*');

/** An evaluated argument. Undefined only for `RAW` parameters. */
export function assign(operand: Operand, type: TypeName): Value | undefined | Mismatch {
  const { value, isInterface } = operand;
  if (value === undefined) {
    if (type === RAW) return undefined;
    return canBeNil(type) ? (zeroOf(type) ?? null) : new Mismatch(`invalid value; expected ${type}`);
  }
  if (type === RAW || type === INTERFACE) return value;
  if (isInterface && value === null) return wrongType(type, operand);
  if (typeOf(value) === type || hasUnderlyingType(value, type)) return value;
  return wrongType(type, { value, isInterface: false });
}

/** A value of a type with a name fits where the type that it is made of is wanted. */
const hasUnderlyingType = (value: Value, type: TypeName): boolean =>
  (value instanceof GoMap && value.named !== undefined && type === `map[string]${value.valueType}`) ||
  (value instanceof GoSlice && value.named !== undefined && type === `[]${value.elementType}`);

const wrongType = (type: TypeName, operand: Operand): Mismatch =>
  new Mismatch(`wrong type for value; expected ${type}; got ${typeName(operand)}`);

/** The argument `nil`. */
export function assignNil(type: TypeName): Value | undefined | Mismatch {
  if (type === RAW) return undefined;
  return canBeNil(type) ? (zeroOf(type) ?? null) : new Mismatch(`cannot assign nil to ${type}`);
}

/** A constant as argument, which takes the type of the parameter. Not for parameters that take any type. */
export function assignConstant(node: OperandNode, type: TypeName): Value | Mismatch {
  const integer = INTEGERS.get(type);
  if (type === 'bool') return node.kind === 'bool' ? node.value : expected('bool', node);
  if (type === 'string') return node.kind === 'string' ? node.value : expected('string', node);
  if (type === 'float64') return (node.kind === 'number' ? node.float : undefined) ?? expected('float', node);
  if (!integer) return new Mismatch(`can't handle ${nodeText(node)} for arg of type ${type}`);
  const value = node.kind === 'number' ? (integer.signed ? node.signed : node.unsigned) : undefined;
  if (value !== undefined) return new GoInteger(integer, value);
  return expected(integer.signed ? 'integer' : 'unsigned integer', node);
}

const expected = (what: string, node: OperandNode): Mismatch =>
  new Mismatch(`expected ${what}; found ${nodeText(node)}`);
