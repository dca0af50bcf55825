import type { Budget } from '../budget.ts';
import type { Builtin } from '../builtins.ts';
import {
  type ExecErrorOptions,
  TemplateExecError,
  TemplateLimitError,
  type TemplateLocation,
} from '../errors.ts';
import { quote } from '../format/quote.ts';
import { type LocatedNode, nodeText, type PipeNode } from '../parse/nodes.ts';
import type { SourceText } from '../parse/parser.ts';
import { positionIn } from '../parse/tokens.ts';
import { typeOf } from '../values/inspect.ts';
import { type CallContext, type GoFunction, INTERFACE, type TypeName, type Value } from '../values/value.ts';

/** What happens if a field is a key that a map does not have; `error` for Secrets. */
export type MissingKey = 'default' | 'zero' | 'error';

/** One command of a pipeline was evaluated, with this result. */
export interface TraceStep {
  /** The pipeline; the same object for all of its commands. */
  readonly pipe: PipeNode;
  /** Index of the command. */
  readonly command: number;
  /** Undefined: no value. */
  readonly value: Value | undefined;
}

/** What does not change during an execution. */
export interface Environment {
  readonly functions: ReadonlyMap<string, GoFunction>;
  readonly builtins: ReadonlyMap<string, Builtin>;
  readonly missingKey: MissingKey;
  readonly context: CallContext;
  readonly trace: ((step: TraceStep) => void) | undefined;
}

/** Levels of nesting in all: each takes a few frames of the stack. */
const MAX_LEVELS_PER_DEPTH = 4;

/** Variables, current node and nesting of one execution. */
export class Execution {
  readonly environment: Environment;
  readonly #budget: Budget;
  /** Name of the template that is executed. */
  #executing: string;
  #source: SourceText;
  #node: LocatedNode | undefined;
  #variables: { readonly name: string; operand: Operand }[];
  #templateDepth = 0;
  #level = 0;

  /** @param executing name of the template */
  constructor(environment: Environment, executing: string, source: SourceText, data: Operand) {
    this.environment = environment;
    this.#budget = environment.context.budget;
    this.#executing = executing;
    this.#source = source;
    this.#variables = [{ name: '$', operand: data }];
  }

  /** Sets the node that errors point at. */
  at(node: LocatedNode): void {
    this.#node = node;
  }

  fail(detail: string, options?: ExecErrorOptions): never {
    throw new TemplateExecError(this.location(), detail, options);
  }

  /** Where the execution is. */
  location(): TemplateLocation {
    const { name, text: source } = this.#source;
    const { line, column } = positionIn(source, this.#node?.position ?? 0);
    const executing = this.#executing;
    const context = this.#node ? nodeText(this.#node) : '';
    const text = `template: ${name}:${line}:${column}: executing ${quote(executing)} at <${context}>: `;
    return { name, line, column, executing, context, text };
  }

  /** Runs something nested. */
  nested<T>(run: () => T): T {
    if (++this.#level > this.#budget.limits.depth * MAX_LEVELS_PER_DEPTH) {
      throw new TemplateLimitError('depth', this.#budget.limits.depth);
    }
    const result = run();
    this.#level--;
    return result;
  }

  /** Runs another template, which sees no variables but its data. */
  inTemplate<T>(name: string, source: SourceText, data: Operand, run: () => T): T {
    this.#budget.checkDepth(++this.#templateDepth);
    const variables = this.#variables;
    const executing = this.#executing;
    const outer = this.#source;
    this.#variables = [{ name: '$', operand: data }];
    this.#executing = name;
    this.#source = source;
    const result = this.nested(run);
    this.#variables = variables;
    this.#executing = executing;
    this.#source = outer;
    this.#templateDepth--;
    return result;
  }

  /** The number of variables, for `popVariables`. */
  get variableCount(): number {
    return this.#variables.length;
  }

  popVariables(count: number): void {
    this.#variables.length = count;
  }

  declare(name: string, operand: Operand): void {
    this.#budget.charge(VARIABLE_BYTES);
    this.#variables.push({ name, operand });
  }

  /** Sets the variable that was declared last under a name. */
  set(name: string, operand: Operand): void {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (!variable) this.fail(`undefined variable: ${name}`);
    variable.operand = operand;
  }

  /** Sets the variable that was declared `fromTop`-last; 1 is the last one. */
  setFromTop(fromTop: number, operand: Operand): void {
    const variable = this.#variables.at(-fromTop);
    if (variable) variable.operand = operand;
  }

  get(name: string): Operand {
    for (let i = this.#variables.length - 1; i >= 0; i--) {
      const variable = this.#variables[i];
      if (variable?.name === name) return variable.operand;
    }
    this.fail(`undefined variable: ${name}`);
    return NO_VALUE;
  }
}

const VARIABLE_BYTES = 64;

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
