import type { Builtin } from '../builtins/builtin.ts';
import { nodeText } from '../parse/node-text.ts';
import type { LocatedNode, Operand as OperandNode } from '../parse/nodes.ts';
import { FunctionError } from '../values/function-error.ts';
import { typeOf } from '../values/inspect.ts';
import type { GoFunction, Value } from '../values/value.ts';
import type { Execution } from './execution.ts';

/** Calls a function with converted arguments. Its error is reported at `node`, and may quote data. */
export function callFunction(
  execution: Execution,
  called: GoFunction | Builtin,
  name: string,
  node: LocatedNode,
  values: readonly (Value | undefined)[],
  first: OperandNode | undefined,
): Value {
  const { context } = execution.environment;
  try {
    if (!('callRaw' in called))
      return called.call(
        values.map((value) => value ?? null),
        context,
      );
    if (name === 'call') return failCall(values, first);
    return called.callRaw(values, context);
  } catch (caught) {
    const error = refusalOf(caught);
    if (error === undefined) throw caught;
    execution.at(node);
    return execution.fail(`error calling ${name}: ${error.message}`, {
      cause: error,
      safeDetail: `error calling ${name}`,
    });
  }
}

/** A value beyond what a number, a date or a text can be: the place in the template helps, the stack does not. */
function refusalOf(error: unknown): FunctionError | undefined {
  if (error instanceof FunctionError) return error;
  const isOutOfRange = error instanceof RangeError && !error.message.includes('call stack');
  return isOutOfRange ? new FunctionError(error.message) : undefined;
}

/** `call x`: no value of a template is a function. */
function failCall(values: readonly (Value | undefined)[], first: OperandNode | undefined): never {
  const value = values[0] ?? null;
  if (value === null) throw new FunctionError('call of nil');
  const type = typeOf(value);
  const name = first ? nodeText(first) : typeof value === 'string' ? value : `<${type} Value>`;
  throw new FunctionError(`non-function ${name} of type ${type}`);
}
