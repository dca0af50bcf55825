/** Operators that plant a fault: edits of a named function, so that a fault survives changes of lines around it. */
import { parse } from '@babel/parser';

/** An edit of the code of one function. */
export type Operator =
  /** Removes statements that call a function of this name: a guard, a cleanup, a check. */
  | { readonly kind: 'remove-call'; readonly call: string }
  /** Removes members of object literals: a precondition, a fence, an owner. */
  | { readonly kind: 'remove-member'; readonly member: string }
  /** Gives members of object literals another value: another owner or namespace. */
  | { readonly kind: 'replace-member'; readonly member: string; readonly value: string }
  /** Puts a constant in place of calls of a function of this name: an ownership check. */
  | { readonly kind: 'replace-call'; readonly call: string; readonly value: string }
  /** Removes members of array literals that name this: a trigger. */
  | { readonly kind: 'remove-element'; readonly element: string }
  /** Adds a statement at the beginning, and what it imports. */
  | { readonly kind: 'insert'; readonly statement: string; readonly imports?: string };

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const each of childrenOf(node)) yield* nodesIn(each);
}

export function* childrenOf(node: Node): Generator<Node> {
  for (const [name, value] of Object.entries(node)) {
    if (name === 'loc' || name.endsWith('Comments')) continue;
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) yield each;
  }
}

export const parseModule = (source: string): Node =>
  parse(source, { sourceType: 'module', plugins: ['typescript'] }).program as unknown as Node;

/** `name` of `name(…)`, `x.name(…)` and `x?.name(…)`. */
export function nameOfCall({ type, callee }: Node): string | undefined {
  if (!/^(Optional)?CallExpression$/.test(type) || !isNode(callee)) return undefined;
  return nameOf(callee) ?? nameOf(callee.property);
}

export const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node.name);
  return node.type === 'StringLiteral' ? String(node.value) : undefined;
};

const isFunction = (node: unknown): node is Node =>
  isNode(node) && /^(FunctionDeclaration|(ArrowFunction|Function)Expression|ObjectMethod)$/.test(node.type);

/** Of declarations, constants, and members of objects. */
export function namedFunctions(program: Node): { readonly name: string; readonly node: Node }[] {
  return [...nodesIn(program)].flatMap((node) => {
    const own = isFunction(node) ? (nameOf(node.id) ?? nameOf(node.key)) : undefined;
    if (own !== undefined) return [{ name: own, node }];
    const name =
      node.type === 'VariableDeclarator'
        ? nameOf(node.id)
        : node.type === 'ObjectProperty'
          ? nameOf(node.key)
          : undefined;
    const value = node.type === 'VariableDeclarator' ? node.init : node.value;
    return name !== undefined && isFunction(value) ? [{ name, node: value }] : [];
  });
}

const functionsNamed = (program: Node, wanted: string): Node[] =>
  namedFunctions(program)
    .filter(({ name }) => name === wanted)
    .map(({ node }) => node);

/**
 * The source with the fault.
 *
 * @param name of the function, the first one with something to edit; `*`: the whole file
 * @throws if the function does not exist, or has nothing to edit: the list of faults is outdated
 */
export function plant(source: string, name: string, operator: Operator): string {
  const program = parseModule(source);
  const scopes = name === '*' ? [program] : functionsNamed(program, name);
  if (scopes.length === 0) throw new Error(`there is no function ${name}`);
  const edits = scopes
    .map((scope) => outermost(editsOf(source, scope, operator)))
    .find((found) => found.length > 0);
  if (edits === undefined) throw new Error(`${name} has nothing for ${JSON.stringify(operator)}`);
  // On the first line, so that all lines keep their numbers.
  const imports = operator.kind === 'insert' && operator.imports ? `${operator.imports} ` : '';
  const edited = edits
    .sort((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), source);
  return imports + edited;
}

function editsOf(source: string, scope: Node, operator: Operator): Edit[] {
  const nodes = [...nodesIn(scope)];
  switch (operator.kind) {
    case 'insert': {
      const { body } = scope;
      if (!isNode(body) || body.type !== 'BlockStatement') return [];
      return [{ start: body.start + 1, end: body.start + 1, text: ` ${operator.statement}` }];
    }
    case 'remove-call':
      return nodes
        .filter(({ type, expression }) => {
          const of = type === 'ExpressionStatement' && isNode(expression) ? expression : undefined;
          const call = of?.type === 'AwaitExpression' && isNode(of.argument) ? of.argument : of;
          return call !== undefined && nameOfCall(call) === operator.call;
        })
        .map(({ start, end }) => ({ start, end, text: '{}' }));
    case 'replace-call':
      return nodes
        .filter((node) => nameOfCall(node) === operator.call)
        .map(({ start, end }) => ({ start, end, text: operator.value }));
    case 'remove-member':
      return nodes
        .filter(({ type }) => type === 'ObjectExpression')
        .flatMap(({ properties }) =>
          (properties as Node[]).filter((each) => isMember(source, each, operator.member)),
        )
        .map((each) => withComma(source, each));
    case 'replace-member':
      return nodes
        .filter(({ type, key }) => type === 'ObjectProperty' && nameOf(key) === operator.member)
        .map(({ start, end }) => ({ start, end, text: `${operator.member}: ${operator.value}` }));
    case 'remove-element':
      return nodes
        .filter(({ type }) => type === 'ArrayExpression')
        .flatMap(({ elements }) => (elements as (Node | null)[]).filter((each) => each !== null))
        .filter(({ start, end }) => source.slice(start, end).includes(operator.element))
        .map((each) => withComma(source, each));
  }
}

/** A member of this name, or a spread of an object that has or is named it. */
function isMember(source: string, node: Node, name: string): boolean {
  if (node.type === 'SpreadElement') {
    const text = source.slice(node.start, node.end);
    return new RegExp(`[{ .]${name}\\b`).test(text) && !text.includes('...options');
  }
  return nameOf(node.key) === name;
}

const outermost = <T extends Pick<Edit, 'start' | 'end'>>(all: readonly T[]): T[] =>
  all.filter(
    (each) => !all.some((other) => other !== each && other.start <= each.start && other.end >= each.end),
  );

function withComma(source: string, { start, end }: Node): Edit {
  const [comma = ''] = /^\s*,/.exec(source.slice(end)) ?? [];
  return { start, end: end + comma.length, text: '' };
}
