import { typeOf } from '../values/inspect.ts';
import { INTERFACE, type TypeName, type Value } from '../values/value.ts';

/**
 * A value while it is evaluated. Two things about it show in error texts and in results, but not in a `Value`: whether it
 * exists at all, and whether it comes from a place of type `interface {}`, such as an element of a list.
 */
export interface Operand {
  /** Undefined: no value, which is printed as `<no value>`. */
  readonly value: Value | undefined;
  /** The static type is `interface {}`. */
  readonly isInterface: boolean;
}

export const NO_VALUE: Operand = { value: undefined, isInterface: false };

export const concrete = (value: Value): Operand => ({ value, isInterface: false });

/** The element of a list or map with elements of a type. */
export const element = (value: Value, type: TypeName): Operand => ({
  value,
  isInterface: type === INTERFACE,
});

/** What a pipeline gives on: the value inside an interface; nil is no value. */
export function unwrap(operand: Operand): Operand {
  if (!operand.isInterface) return operand;
  return operand.value === null ? NO_VALUE : concrete(operand.value ?? null);
}

/** The static type, for errors. Only for operands with a value. */
export const typeName = ({ value, isInterface }: Operand): TypeName =>
  isInterface ? INTERFACE : ((value === undefined ? undefined : typeOf(value)) ?? '<nil>');
