import { type Builtin, RAW } from '../builtins.ts';
import {
  type CommandNode,
  type IdentifierNode,
  type LocatedNode,
  type NumberNode,
  nodeText,
  type Operand as OperandNode,
  type PipeNode,
} from '../parse/nodes.ts';
import { isTrue, typeOf, zeroOf } from '../values/inspect.ts';
import {
  FunctionError,
  type GoFunction,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTEGER_TYPES,
  INTERFACE,
  type IntegerType,
  int,
  sortedKeys,
  type TypeName,
  type Value,
} from '../values/value.ts';
import { concrete, type Execution, element, NO_VALUE, type Operand, typeName, unwrap } from './execution.ts';

/** Evaluates pipelines. `dot` is the current data; `final` the result of the command before, its last argument. */
export class Evaluator {
  readonly #execution: Execution;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Also declares or sets the variables of the pipeline; the caller pops them. */
  pipeline(dot: Operand, pipe: PipeNode): Operand {
    const { budget } = this.#execution.environment.context;
    const { trace } = this.#execution.environment;
    this.#execution.at(pipe);
    let result: Operand | undefined;
    for (const [i, command] of pipe.commands.entries()) {
      budget.step();
      result = unwrap(this.#command(dot, command, result));
      trace?.({ pipe, command: i, value: result.value });
    }
    const operand = result ?? NO_VALUE;
    for (const { names } of pipe.variables) {
      const [name = ''] = names;
      if (pipe.isAssignment) this.#execution.set(name, operand);
      else this.#execution.declare(name, operand);
    }
    return operand;
  }

  #command(dot: Operand, command: CommandNode, final: Operand | undefined): Operand {
    const [first] = command.args;
    switch (first.kind) {
      case 'field':
        this.#execution.at(first);
        return this.#fields(dot, dot, first, first.names, { nodes: command.args, final });
      case 'chain':
        return this.#chain(dot, first, { nodes: command.args, final });
      case 'identifier':
        return this.#function(dot, first, command, command.args.slice(1), final);
      case 'pipe':
        this.#refuseArguments(command, final);
        return this.#execution.nested(() => this.pipeline(dot, first));
      case 'variable':
        return this.#variable(dot, first, { nodes: command.args, final });
    }
    this.#execution.at(first);
    this.#refuseArguments(command, final);
    if (first.kind === 'dot') return dot;
    if (first.kind === 'nil') this.#execution.fail('nil is not a command');
    return concrete(this.#constant(first));
  }

  #refuseArguments({ args }: CommandNode, final: Operand | undefined): void {
    if (args.length > 1 || final) {
      this.#execution.fail(`can't give argument to non-function ${nodeText(args[0])}`);
    }
  }

  /** A constant where any type is welcome; its syntax decides. */
  #constant(node: OperandNode): Value {
    if (node.kind === 'bool' || node.kind === 'string') return node.value;
    if (node.kind !== 'number') this.#execution.fail(`can't evaluate command ${nodeText(node)}`);
    this.#execution.at(node);
    if (node.float !== undefined && isFloatSyntax(node)) return node.float;
    if (node.signed === undefined) this.#execution.fail(`${node.text} overflows int`);
    return int(node.signed);
  }

  #chain(dot: Operand, node: OperandNode & { kind: 'chain' }, args: FieldArguments): Operand {
    this.#execution.at(node);
    const receiver = this.#operand(dot, node.operand);
    return this.#fields(dot, receiver, node, node.names, args);
  }

  #variable(dot: Operand, node: OperandNode & { kind: 'variable' }, args: FieldArguments): Operand {
    this.#execution.at(node);
    const [name = '', ...fields] = node.names;
    const operand = this.#execution.get(name);
    if (fields.length > 0) return this.#fields(dot, operand, node, fields, args);
    const [first] = args.nodes;
    if (first && (args.nodes.length > 1 || args.final)) {
      this.#execution.fail(`can't give argument to non-function ${nodeText(first)}`);
    }
    return operand;
  }

  /** `receiver.a.b`; arguments belong to the last of them, which may be a method. */
  #fields(
    dot: Operand,
    receiver: Operand,
    node: LocatedNode,
    names: readonly string[],
    args: FieldArguments,
  ): Operand {
    let current = receiver;
    for (const [i, name] of names.entries()) {
      const own = i === names.length - 1 ? args : NO_ARGUMENTS;
      const method = evaluateField(this.#execution, current, name, own);
      current =
        'call' in method ? this.#call(dot, method, name, node, own.nodes.slice(1), own.final) : method;
    }
    return current;
  }

  /** An operand as receiver of a chain. */
  #operand(dot: Operand, node: OperandNode): Operand {
    this.#execution.at(node);
    switch (node.kind) {
      case 'dot':
        return dot;
      case 'field':
        return this.#fields(dot, dot, node, node.names, NO_ARGUMENTS);
      case 'variable':
        return this.#variable(dot, node, NO_ARGUMENTS);
      case 'pipe':
        return this.#execution.nested(() => this.pipeline(dot, node));
      case 'identifier':
        return this.#function(dot, node, node, [], undefined);
      case 'chain':
        return this.#chain(dot, node, NO_ARGUMENTS);
      case 'nil':
        return NO_VALUE;
      default:
        return concrete(this.#constant(node));
    }
  }

  #function(
    dot: Operand,
    { name }: IdentifierNode,
    node: CommandNode | IdentifierNode,
    args: readonly OperandNode[],
    final: Operand | undefined,
  ): Operand {
    this.#execution.at(node.kind === 'command' ? node.args[0] : node);
    const { functions, builtins } = this.#execution.environment;
    const own = functions.get(name);
    if (own) return this.#call(dot, own, name, node, args, final);
    const builtin = builtins.get(name);
    if (!builtin) this.#execution.fail(`"${name}" is not a defined function`);
    if (name === 'and' || name === 'or') return this.#logic(dot, builtin, name, args, final);
    return this.#call(dot, builtin, name, node, args, final);
  }

  /** `and` and `or` evaluate arguments only until the result is known. */
  #logic(
    dot: Operand,
    builtin: Builtin,
    name: 'and' | 'or',
    args: readonly OperandNode[],
    final: Operand | undefined,
  ): Operand {
    this.#checkCount(builtin, name, args, final);
    let result: Value | undefined;
    for (const arg of args) {
      result = this.#argument(dot, RAW, arg);
      if (isTrue(result ?? null) === (name === 'or')) return fromResult(result);
    }
    return final ?? fromResult(result);
  }

  #checkCount(
    { parameters, variadic }: GoFunction | Builtin,
    name: string,
    args: readonly OperandNode[],
    final: Operand | undefined,
  ): void {
    const count = args.length + (final ? 1 : 0);
    if (variadic !== undefined && count < parameters.length) {
      this.#execution.fail(
        `wrong number of args for ${name}: want at least ${parameters.length} got ${args.length}`,
      );
    }
    if (variadic === undefined && count !== parameters.length) {
      this.#execution.fail(`wrong number of args for ${name}: want ${parameters.length} got ${count}`);
    }
  }

  /** @param node what an error of the function points at */
  #call(
    dot: Operand,
    called: GoFunction | Builtin,
    name: string,
    node: LocatedNode,
    args: readonly OperandNode[],
    final: Operand | undefined,
  ): Operand {
    this.#checkCount(called, name, args, final);
    const typeAt = (i: number): TypeName => called.parameters[i] ?? called.variadic ?? INTERFACE;
    const values = args.map((arg, i) => this.#argument(dot, typeAt(i), arg));
    if (final) values.push(this.#checked(assign(final, typeAt(args.length))));
    const result = fromResult(callFunction(this.#execution, called, name, node, values, args[0]));
    return 'returnsInterface' in called ? { ...result, isInterface: true } : result;
  }

  #argument(dot: Operand, type: TypeName, node: OperandNode): Value | undefined {
    this.#execution.at(node);
    this.#execution.environment.context.budget.step();
    if (node.kind === 'nil') return this.#checked(assignNil(type));
    const isConstant = node.kind === 'bool' || node.kind === 'number' || node.kind === 'string';
    if (!isConstant) return this.#checked(assign(this.#operand(dot, node), type));
    if (type === RAW || type === INTERFACE) return this.#constant(node);
    return this.#checked(assignConstant(node, type));
  }

  #checked(value: Value | undefined | Mismatch): Value | undefined {
    return value instanceof Mismatch ? this.#execution.fail(value.text) : value;
  }
}

/** A result of nil is an interface without a value. */
const fromResult = (value: Value | undefined): Operand => ({ value, isInterface: value === null });

const NO_ARGUMENTS: FieldArguments = { nodes: [], final: undefined };

/** Whether a number is written as a float: with a point or an exponent, but not as character or hexadecimal integer. */
function isFloatSyntax({ text }: NumberNode): boolean {
  if (text.startsWith("'")) return false;
  if (/^0[xX]/.test(text) && !/[pP]/.test(text)) return false;
  return /[.eEpP]/.test(text);
}

/** The command that a field starts. */
interface FieldArguments {
  /** All operands of the command, the field itself first; empty if there is no command. */
  readonly nodes: readonly OperandNode[];
  readonly final: Operand | undefined;
}

/** At most so many names are kept for hints. */
const MAX_HINTS = 1000;

/** The value of a field: a key of a map, or a field of an object. For a method, the function to call. */
function evaluateField(
  execution: Execution,
  receiver: Operand,
  name: string,
  { nodes, final }: FieldArguments,
): Operand | GoFunction {
  const { value } = receiver;
  if (value === undefined) {
    if (execution.environment.missingKey === 'error') {
      execution.fail(`nil data; no entry for key "${name}"`);
    }
    return NO_VALUE;
  }
  const type = typeName(receiver);
  if (value === null) execution.fail(`nil pointer evaluating ${type}.${name}`);
  const hasArguments = nodes.length > 1 || final !== undefined;
  if (value instanceof GoObject || value instanceof GoInteger) {
    const methods = value.type.methods ?? {};
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method(value);
  }
  if (value instanceof GoMap || value instanceof GoSlice) {
    const methods = value.named?.methods ?? {};
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method(value);
  }
  if (value instanceof GoObject) {
    const fields = value.type.fields ?? {};
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field && value.isNil) execution.fail(`nil pointer evaluating ${type}.${name}`);
    if (field && hasArguments) execution.fail(`${name} has arguments but cannot be invoked as function`);
    if (field) return concrete(field(value.content));
  }
  if (value instanceof GoMap) {
    if (hasArguments) execution.fail(`${name} is not a method but has arguments`);
    const entry = value.entries.get(name);
    return entry === undefined ? missingKey(execution, value, name) : element(entry, value.valueType);
  }
  return execution.fail(`can't evaluate field ${name} in type ${type}`);
}

function missingKey(execution: Execution, map: GoMap, name: string): Operand {
  switch (execution.environment.missingKey) {
    case 'default':
      return NO_VALUE;
    case 'zero':
      return element(zeroOf(map.valueType) ?? null, map.valueType);
    case 'error': {
      const available = sortedKeys(map).slice(0, MAX_HINTS);
      return execution.fail(`map has no entry for key "${name}"`, { missing: { name, available } });
    }
  }
}

/** Calls a function with converted arguments. Its error is reported at `node`, and may quote data. */
function callFunction(
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

// Conversion of arguments to the types of parameters. Each function returns the text of an error as a `Mismatch`.

/** An argument does not fit; the text is the error of Go. */
class Mismatch {
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
function assign(operand: Operand, type: TypeName): Value | undefined | Mismatch {
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
function assignNil(type: TypeName): Value | undefined | Mismatch {
  if (type === RAW) return undefined;
  return canBeNil(type) ? (zeroOf(type) ?? null) : new Mismatch(`cannot assign nil to ${type}`);
}

/** A constant as argument, which takes the type of the parameter. Not for parameters that take any type. */
function assignConstant(node: OperandNode, type: TypeName): Value | Mismatch {
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
