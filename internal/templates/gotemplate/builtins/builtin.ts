import type { CallContext, TypeName, Value } from '../values/value.ts';

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
