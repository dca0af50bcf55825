import { print, println } from '../format/print.ts';
import { printf } from '../format/printf.ts';
import { FunctionError } from '../values/function-error.ts';
import { isTrue } from '../values/inspect.ts';
import { INTERFACE, type Value } from '../values/value.ts';
import { ACCESS } from './access.ts';
import { type Builtin, RAW } from './builtin.ts';
import { COMPARISONS } from './compare.ts';
import { ESCAPERS } from './escape.ts';

const printer = (write: typeof print): Builtin => ({
  parameters: [],
  variadic: INTERFACE,
  callRaw: (args, { budget }) => write(known(args), budget),
});

const known = (args: readonly (Value | undefined)[]): Value[] => args.map((value) => value ?? null);

/** Called only in the order of their arguments, and only as far as needed: see `evaluator.ts`. */
const shortCircuit: Builtin = {
  parameters: [RAW],
  variadic: RAW,
  callRaw: () => {
    throw new FunctionError('unreachable');
  },
};

/** The functions of text/template, without those of sprig. */
export const BUILTINS = {
  and: shortCircuit,
  or: shortCircuit,
  not: { parameters: [RAW], callRaw: ([value = null]) => !isTrue(value) },
  // Data has no functions, so the result is always an error, which the evaluator writes.
  call: { parameters: [RAW], variadic: RAW, callRaw: shortCircuit.callRaw },
  print: printer(print),
  println: printer(println),
  printf: {
    parameters: ['string'],
    variadic: INTERFACE,
    callRaw: ([format, ...args], { budget }) =>
      printf(typeof format === 'string' ? format : '', known(args), budget),
  },
  ...ACCESS,
  ...COMPARISONS,
  ...ESCAPERS,
} satisfies Record<string, Builtin>;
