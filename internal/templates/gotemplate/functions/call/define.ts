import { FunctionError } from '../../values/function-error.ts';
import { type CallContext, type GoFunction, INTERFACE, type Value } from '../../values/value.ts';
import { Failure, Panic } from './failure.ts';
import { type Parameter, typeText } from './parameter.ts';

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
