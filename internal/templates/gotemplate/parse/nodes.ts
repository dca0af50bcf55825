/** The syntax tree. Positions are in UTF-16 units from the start of the template. */
import { quote } from '../format/quote.ts';

export type Node =
  | TextNode
  | ActionNode
  | BranchNode
  | RangeNode
  | TemplateNode
  | { readonly kind: 'break' | 'continue'; readonly position: number };

interface TextNode {
  readonly kind: 'text';
  readonly position: number;
  readonly text: string;
}

interface ActionNode {
  readonly kind: 'action';
  readonly position: number;
  readonly pipe: PipeNode;
}

/** if and with. */
export interface BranchNode {
  readonly kind: 'if' | 'with';
  readonly position: number;
  readonly pipe: PipeNode;
  readonly body: readonly Node[];
  /** What follows `else`; for `else if` that branch alone. */
  readonly otherwise: readonly Node[] | undefined;
}

export interface RangeNode {
  readonly kind: 'range';
  readonly position: number;
  readonly pipe: PipeNode;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[] | undefined;
}

/** A call of another template; `block` defines it at the same place. */
export interface TemplateNode {
  readonly kind: 'template';
  readonly position: number;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

export interface PipeNode {
  readonly kind: 'pipe';
  readonly position: number;
  /** `=` instead of `:=`. */
  readonly isAssignment: boolean;
  readonly variables: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}

export interface CommandNode {
  readonly kind: 'command';
  readonly position: number;
  readonly args: readonly [Operand, ...Operand[]];
}

export type Operand =
  | PipeNode
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | NumberNode
  | StringNode
  | { readonly kind: 'bool'; readonly position: number; readonly value: boolean }
  | { readonly kind: 'dot' | 'nil'; readonly position: number };

/** `.a.b` */
interface FieldNode {
  readonly kind: 'field';
  readonly position: number;
  readonly names: readonly string[];
}

/** `$x.a.b`: the first name is `$x`. */
export interface VariableNode {
  readonly kind: 'variable';
  readonly position: number;
  readonly names: readonly string[];
}

/** `(pipeline).a.b` */
interface ChainNode {
  readonly kind: 'chain';
  readonly position: number;
  readonly operand: Operand;
  readonly names: readonly string[];
}

/** The name of a function. */
export interface IdentifierNode {
  readonly kind: 'identifier';
  readonly position: number;
  readonly name: string;
}

/** A constant without a type. Each field is set if it can be exactly that. */
export interface NumberNode {
  readonly kind: 'number';
  readonly position: number;
  readonly text: string;
  readonly signed: bigint | undefined;
  readonly unsigned: bigint | undefined;
  readonly float: number | undefined;
}

interface StringNode {
  readonly kind: 'string';
  readonly position: number;
  readonly quoted: string;
  readonly value: string;
}

/** A node that an error can point at. */
export type LocatedNode = Node | CommandNode | Operand;

/** A node as Go writes it in errors: `.a.b`, `printf "%d" $x`. Text and bodies of branches are not written. */
export function nodeText(node: LocatedNode): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'action':
      return `{{${pipeText(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.kind} ${pipeText(node.pipe)}}}`;
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${pipeText(node.pipe)}` : ''}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'command':
      return commandText(node);
    default:
      return operandText(node);
  }
}

function pipeText({ variables, isAssignment, commands }: PipeNode): string {
  const names = variables.map(operandText).join(', ');
  return `${names && `${names} ${isAssignment ? '=' : ':='} `}${commands.map(commandText).join(' | ')}`;
}

const commandText = ({ args }: CommandNode): string => args.map(inParentheses).join(' ');

const inParentheses = (operand: Operand): string =>
  operand.kind === 'pipe' ? `(${pipeText(operand)})` : operandText(operand);

function operandText(operand: Operand): string {
  switch (operand.kind) {
    case 'pipe':
      return pipeText(operand);
    case 'field':
      return `.${operand.names.join('.')}`;
    case 'variable':
      return operand.names.join('.');
    case 'chain':
      return `${inParentheses(operand.operand)}.${operand.names.join('.')}`;
    case 'identifier':
      return operand.name;
    case 'number':
      return operand.text;
    case 'string':
      return operand.quoted;
    case 'bool':
      return String(operand.value);
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
  }
}
