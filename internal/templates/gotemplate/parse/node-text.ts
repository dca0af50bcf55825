import { quote } from '../format/quote.ts';
import type { CommandNode, LocatedNode, Operand, PipeNode } from './nodes.ts';

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
