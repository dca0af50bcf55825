import { type Body, Failure, Panic } from '../functions/define.ts';
import {
  type CallContext,
  FunctionError,
  type GoFunction,
  INTERFACE,
  type TypeName,
  type Value,
} from '../values/value.ts';

export interface TypedOptions {
  /** Type of further arguments. Default: none allowed. */
  readonly variadic?: TypeName;
  /** The result is an `interface {}`. Default: it has the type of the value. */
  readonly any?: boolean;
  /** The result in place of an error of the function. Default: the error ends the template. A panic always does. */
  readonly orElse?: (failure: Failure) => Value;
}

/** A function with the signature that it has in Go, so that the engine checks and converts its arguments. */
export function typed(parameters: readonly TypeName[], body: Body, options: TypedOptions = {}): GoFunction {
  const { variadic, any = false, orElse } = options;
  return {
    parameters,
    ...(variadic !== undefined && { variadic }),
    ...(any && { returnsInterface: true }),
    call: (args: readonly Value[], context: CallContext) => {
      context.budget.step(1 + args.length);
      try {
        return body(args, context);
      } catch (error) {
        if (error instanceof Panic) throw new FunctionError(error.panic);
        if (!(error instanceof Failure)) throw error;
        if (orElse) return orElse(error);
        throw new FunctionError(error.message);
      }
    },
  };
}

export const ANY_TYPE = INTERFACE;
export const DICT_TYPE: TypeName = 'map[string]interface {}';

/** The argument as a text; the engine has checked its type. */
export const textAt = (args: readonly Value[], index: number): string => {
  const value = args[index];
  return typeof value === 'string' ? value : '';
};
