import { TemplateLimitError } from '../errors.ts';
import { printValue } from '../format/printf.ts';
import { quote } from '../format/quote.ts';
import type { BranchNode, Node, RangeNode, TemplateNode } from '../parse/nodes.ts';
import type { Templates, TemplateTree } from '../parse/parser.ts';
import { isTrue } from '../values/inspect.ts';
import { byteLength, normalize } from '../values/text.ts';
import { GoInteger, GoMap, GoObject, GoSlice, int, sortedKeys, type Value } from '../values/value.ts';
import { Evaluator } from './evaluator.ts';
import { concrete, type Environment, Execution, element, NO_VALUE, type Operand } from './execution.ts';

/** Why the nodes of a list were left early. */
type Jump = 'break' | 'continue' | undefined;

/**
 * Executes a template.
 *
 * @param templates those that it can call
 * @returns the output
 * @throws TemplateExecError, TemplateLimitError
 */
export function execute(
  name: string,
  tree: TemplateTree,
  templates: Templates,
  environment: Environment,
  data: Value,
): string {
  // Data of nil does not exist, as far as fields are concerned.
  const operand = data === null ? NO_VALUE : concrete(data);
  const execution = new Execution(environment, name, tree.source, operand);
  try {
    return new Executor(templates, execution).run(tree, operand);
  } catch (error) {
    if (error instanceof TemplateLimitError) throw error.at(execution.location());
    throw error;
  }
}

class Executor {
  readonly #templates: Templates;
  readonly #execution: Execution;
  readonly #evaluator: Evaluator;
  readonly #output: string[] = [];
  #outputBytes = 0;

  constructor(templates: Templates, execution: Execution) {
    this.#templates = templates;
    this.#execution = execution;
    this.#evaluator = new Evaluator(execution);
  }

  run({ nodes }: TemplateTree, data: Operand): string {
    this.#list(data, nodes);
    return normalize(this.#output.join(''));
  }

  #write(text: string): void {
    const { outputBytes } = this.#execution.environment.context.budget.limits;
    this.#outputBytes += byteLength(text);
    if (this.#outputBytes > outputBytes) throw new TemplateLimitError('output', outputBytes);
    this.#output.push(text);
  }

  #list(dot: Operand, nodes: readonly Node[]): Jump {
    for (const node of nodes) {
      const jump = this.#node(dot, node);
      if (jump) return jump;
    }
    return undefined;
  }

  #node(dot: Operand, node: Node): Jump {
    const { budget } = this.#execution.environment.context;
    budget.step();
    this.#execution.at(node);
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return undefined;
      case 'action': {
        const { value } = this.#evaluator.pipeline(dot, node.pipe);
        if (node.pipe.variables.length > 0) return undefined;
        this.#execution.at(node);
        this.#write(value === undefined ? '<no value>' : printValue(value, budget));
        return undefined;
      }
      case 'break':
      case 'continue':
        return node.kind;
      case 'if':
      case 'with':
        return this.#execution.nested(() => this.#branch(dot, node));
      case 'range':
        return this.#execution.nested(() => this.#range(dot, node));
      case 'template':
        this.#template(dot, node);
        return undefined;
    }
  }

  /** A chain of `else if` is walked in a loop. Variables of a condition are seen in all branches after it. */
  #branch(dot: Operand, first: BranchNode): Jump {
    const declared = this.#execution.variableCount;
    let jump: Jump;
    for (let node: BranchNode | undefined = first; node; ) {
      this.#execution.at(node);
      const value = this.#evaluator.pipeline(dot, node.pipe);
      const otherwise: readonly Node[] | undefined = node.otherwise;
      const next: Node | undefined = otherwise?.[0];
      if (isTrue(value.value ?? null)) {
        jump = this.#list(node.kind === 'with' ? value : dot, node.body);
        break;
      }
      if (otherwise?.length === 1 && (next?.kind === 'if' || next?.kind === 'with')) {
        this.#execution.environment.context.budget.step();
        node = next;
      } else {
        jump = otherwise && this.#list(dot, otherwise);
        break;
      }
    }
    this.#execution.popVariables(declared);
    return jump;
  }

  #template(dot: Operand, node: TemplateNode): void {
    const tree = this.#templates.get(node.name);
    if (!tree) this.#execution.fail(`template ${quote(node.name)} not defined`);
    const data = node.pipe ? this.#evaluator.pipeline(dot, node.pipe) : NO_VALUE;
    this.#execution.inTemplate(node.name, tree.source, data, () => this.#list(data, tree.nodes));
  }

  #range(dot: Operand, node: RangeNode): Jump {
    const declared = this.#execution.variableCount;
    const { value } = this.#evaluator.pipeline(dot, node.pipe);
    const jump = this.#iterate(dot, node, value);
    this.#execution.popVariables(declared);
    return jump;
  }

  #iterate(dot: Operand, node: RangeNode, value: Value | undefined): Jump {
    const mark = this.#execution.variableCount;
    let isEmpty = true;
    for (const [index, item] of this.#elements(node, value)) {
      isEmpty = false;
      this.#setVariables(node, index, item);
      const jump = this.#list(item, node.body);
      this.#execution.popVariables(mark);
      if (jump === 'break') break;
    }
    return isEmpty && node.otherwise ? this.#list(dot, node.otherwise) : undefined;
  }

  #setVariables({ pipe }: RangeNode, index: Operand, item: Operand): void {
    const [first, second] = pipe.variables;
    if (!first) return;
    if (pipe.isAssignment) {
      this.#execution.set(first.names[0] ?? '', second ? index : item);
      if (second) this.#execution.set(second.names[0] ?? '', item);
    } else {
      this.#execution.setFromTop(1, item);
      if (second) this.#execution.setFromTop(2, index);
    }
  }

  /** Index or key, and element. */
  *#elements({ pipe }: RangeNode, value: Value | undefined): Generator<readonly [Operand, Operand]> {
    const { budget } = this.#execution.environment.context;
    if (value === undefined || value === null) return;
    if (value instanceof GoInteger) {
      if (pipe.variables.length > 1) {
        const text = printValue(value, budget);
        this.#failData(
          `can't use ${text} to iterate over more than one variable`,
          'cannot iterate over an integer with two variables',
        );
      }
      for (let i = 0n; i < value.value; i++) {
        budget.step();
        yield [NO_VALUE, concrete(new GoInteger(value.type, i))];
      }
    } else if (value instanceof GoSlice) {
      for (const [i, item] of value.items.entries()) {
        budget.step();
        yield [concrete(int(i)), element(item, value.elementType)];
      }
    } else if (value instanceof GoMap) {
      budget.step(value.entries.size);
      const entries = sortedKeys(value).map((key) => [key, value.entries.get(key) ?? null] as const);
      for (const [key, item] of entries) yield [concrete(key), element(item, value.valueType)];
    } else if (!(value instanceof GoObject && value.isNil)) {
      this.#failData(
        `range can't iterate over ${printValue(value, budget)}`,
        "range can't iterate over this value",
      );
    }
  }

  #failData(detail: string, safeDetail: string): never {
    return this.#execution.fail(detail, { safeDetail });
  }
}
