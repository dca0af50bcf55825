import { quote, quote as quoteText, unquote, unquoteRune } from '../format/quote.ts';
import {
  type BranchNode,
  type CommandNode,
  type Node,
  type NumberNode,
  nodeText,
  type Operand,
  type PipeNode,
  type RangeNode,
  type VariableNode,
} from './nodes.ts';
import { TokenStream } from './token-stream.ts';
import type { Token, TokenType } from './tokens.ts';

/** A text that templates were parsed from. */
export interface SourceText {
  /** In errors. */
  readonly name: string;
  readonly text: string;
}

/** One template: a whole text, or one that it defines. */
export interface TemplateTree {
  readonly nodes: readonly Node[];
  readonly source: SourceText;
}

/** Templates by name: those of a text are the text's own under its name, and those that it defines. */
export type Templates = ReadonlyMap<string, TemplateTree>;

/**
 * Parses a template text.
 *
 * @param checkDepth throws if a nesting depth is too large
 * @throws TemplateParseError
 */
export function parseTemplates(
  name: string,
  source: string,
  functionNames: ReadonlySet<string>,
  checkDepth: (depth: number) => void,
): Templates {
  const context = { tokens: new TokenStream(name, source), functionNames, checkDepth };
  const templates: Trees = { source: { name, text: source }, trees: new Map() };
  const parser = new TreeParser(context, templates, 0);
  addTemplate(context, templates, name, parser.parseText());
  return templates.trees;
}

/** Those that were parsed so far. */
interface Trees {
  readonly source: SourceText;
  readonly trees: Map<string, TemplateTree>;
}

function addTemplate(
  { tokens }: ParseContext,
  { source, trees }: Trees,
  name: string,
  nodes: readonly Node[],
): void {
  const existing = trees.get(name);
  if (!existing || isEmpty(existing.nodes)) trees.set(name, { nodes, source });
  else if (!isEmpty(nodes)) tokens.fail(`template: multiple definition of template ${quote(name)}`);
}

/** Whether nodes write nothing but white space. */
export const isEmpty = (nodes: readonly Node[]): boolean =>
  nodes.every((node) => node.kind === 'text' && !NOT_SPACE.test(node.text));

/** White space as Go defines it. */
const NOT_SPACE = /[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** The end of a list of nodes. */
type ListEnd =
  | { readonly kind: 'end' }
  | { readonly kind: 'else'; readonly chained: 'if' | 'with' | undefined };

interface NodeList {
  readonly nodes: readonly Node[];
  readonly end: ListEnd;
}

/** Parses one template: a text, or the body of a `define` or `block`, which has variables of its own. */
class TreeParser {
  readonly #context: ParseContext;
  readonly #tokens: TokenStream;
  readonly #templates: Trees;
  readonly #expressions: ExpressionParser;
  #depth: number;
  #rangeDepth = 0;

  constructor(context: ParseContext, templates: Trees, depth: number) {
    this.#context = context;
    this.#tokens = context.tokens;
    this.#templates = templates;
    this.#expressions = new ExpressionParser(context);
    this.#depth = depth;
  }

  /** All of the text. */
  parseText(): readonly Node[] {
    const nodes: Node[] = [];
    while (this.#tokens.peek().type !== 'eof') {
      const delimiter = this.#tokens.next();
      if (delimiter.type === 'leftDelim') {
        const keyword = this.#tokens.nextNonSpace();
        if (keyword.type === 'define') {
          this.#define();
          continue;
        }
        this.#tokens.putBack(keyword);
      }
      this.#tokens.putBack(delimiter);
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') this.#tokens.fail(`unexpected {{${node.kind}}}`);
      nodes.push(node);
    }
    return nodes;
  }

  #define(): void {
    const context = 'define clause';
    const literal = this.#tokens.expect(['string', 'rawString'], context);
    const name = this.#expressions.unquote(literal.text);
    this.#tokens.expect(['rightDelim'], context);
    this.#body(name, context);
  }

  /** The body of another template, up to its end. */
  #body(name: string, context: string): void {
    this.#context.checkDepth(this.#depth + 1);
    const parser = new TreeParser(this.#context, this.#templates, this.#depth + 1);
    const { nodes, end } = parser.#list();
    if (end.kind !== 'end') this.#tokens.fail(`unexpected {{${end.kind}}} in ${context}`);
    addTemplate(this.#context, this.#templates, name, nodes);
  }

  #list(): NodeList {
    const nodes: Node[] = [];
    while (this.#tokens.peekNonSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') return { nodes, end: node };
      nodes.push(node);
    }
    return this.#tokens.fail('unexpected EOF');
  }

  #textOrAction(): Node | ListEnd {
    const token = this.#tokens.nextNonSpace();
    if (token.type === 'text') return { kind: 'text', position: token.position, text: token.text };
    if (token.type !== 'leftDelim') return this.#expressions.unexpected(token, 'input');
    this.#expressions.actionStart = token;
    const node = this.#action();
    this.#expressions.actionStart = undefined;
    return node;
  }

  #action(): Node | ListEnd {
    const token = this.#tokens.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue':
        return this.#jump(token, token.type);
      case 'else':
        return this.#else();
      case 'end':
        this.#expect('end');
        return { kind: 'end' };
      case 'if':
      case 'with':
        return this.#branch(token.type);
      case 'range':
        return this.#range();
      case 'template':
        return this.#template();
      default:
        this.#tokens.putBack(token);
        return {
          kind: 'action',
          position: token.position,
          pipe: this.#expressions.pipeline('command', 'rightDelim'),
        };
    }
  }

  /** The right delimiter. */
  #expect(context: string): void {
    this.#tokens.expect(['rightDelim'], context, this.#expressions.actionStart);
  }

  #jump({ position }: Token, kind: 'break' | 'continue'): Node {
    this.#expect(`{{${kind}}}`);
    if (this.#rangeDepth === 0) this.#tokens.fail(`{{${kind}}} outside {{range}}`);
    return { kind, position };
  }

  #else(): ListEnd {
    const { type } = this.#tokens.peekNonSpace();
    if (type === 'if' || type === 'with') return { kind: 'else', chained: type };
    this.#expect('else');
    return { kind: 'else', chained: undefined };
  }

  /** `if` or `with` and the chain of its `else if`, which may be long: it is read in a loop. */
  #branch(kind: 'if' | 'with'): BranchNode {
    this.#context.checkDepth(++this.#depth);
    const declared = this.#expressions.variables.length;
    const chain: { pipe: PipeNode; body: readonly Node[] }[] = [];
    let otherwise: readonly Node[] | undefined;
    for (let isOpen = true; isOpen; ) {
      const pipe = this.#expressions.pipeline(kind, 'rightDelim');
      const { nodes, end } = this.#list();
      chain.push({ pipe, body: nodes });
      isOpen = end.kind === 'else' && end.chained === kind;
      if (isOpen) this.#tokens.nextNonSpace();
      else if (end.kind === 'else') otherwise = this.#lastElse();
    }
    this.#expressions.variables.length = declared;
    this.#depth--;
    const [first, ...others] = chain;
    for (const { pipe, body } of others.toReversed()) {
      otherwise = [{ kind, position: pipe.position, pipe, body, otherwise }];
    }
    return first
      ? { kind, position: first.pipe.position, ...first, otherwise }
      : this.#tokens.fail(`missing value for ${kind}`);
  }

  #lastElse(): readonly Node[] {
    const { nodes, end } = this.#list();
    if (end.kind !== 'end') this.#tokens.fail('expected end; found {{else}}');
    return nodes;
  }

  #range(): RangeNode {
    this.#context.checkDepth(++this.#depth);
    const declared = this.#expressions.variables.length;
    const pipe = this.#expressions.pipeline('range', 'rightDelim');
    this.#rangeDepth++;
    const { nodes, end } = this.#list();
    this.#rangeDepth--;
    const otherwise = end.kind === 'else' ? this.#lastElse() : undefined;
    this.#expressions.variables.length = declared;
    this.#depth--;
    return { kind: 'range', position: pipe.position, pipe, body: nodes, otherwise };
  }

  #block(): Node {
    const context = 'block clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#expressions.pipeline(context, 'rightDelim');
    this.#body(name, context);
    return { kind: 'template', position: token.position, name, pipe };
  }

  #template(): Node {
    const context = 'template clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const next = this.#tokens.nextNonSpace();
    if (next.type === 'rightDelim')
      return { kind: 'template', position: token.position, name, pipe: undefined };
    this.#tokens.putBack(next);
    const pipe = this.#expressions.pipeline(context, 'rightDelim');
    return { kind: 'template', position: token.position, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') this.#expressions.unexpected(token, context);
    return this.#expressions.unquote(token.text);
  }
}

/** What the parsers of one template text share. */
interface ParseContext {
  readonly tokens: TokenStream;
  readonly functionNames: ReadonlySet<string>;
  /** @throws TemplateLimitError */
  checkDepth(depth: number): void;
}

const OPERAND_STARTS: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

/** Parses pipelines. Knows which variables are declared at this place. */
class ExpressionParser {
  readonly variables: string[] = ['$'];
  /** The first token of the current action, for errors of tokens on later lines. */
  actionStart: Token | undefined;
  readonly #context: ParseContext;
  readonly #tokens: TokenStream;
  #depth = 0;

  constructor(context: ParseContext) {
    this.#context = context;
    this.#tokens = context.tokens;
  }

  unexpected(token: Token, context: string): never {
    return this.#tokens.failUnexpected(token, context, this.actionStart);
  }

  /** Reads a pipeline and the token that ends it. @param context for errors; `range` may declare two variables */
  pipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode {
    const { position } = this.#tokens.peekNonSpace();
    const { variables, isAssignment } = this.#declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.type === end) break;
      if (!OPERAND_STARTS.has(token.type)) this.unexpected(token, context);
      this.#tokens.putBack(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) this.#tokens.fail(`missing value for ${context}`);
    for (const [i, { args }] of commands.entries()) {
      const isConstant = ['bool', 'dot', 'nil', 'number', 'string'].includes(args[0].kind);
      if (i > 0 && isConstant) this.#tokens.fail(`non executable command in pipeline stage ${i + 1}`);
    }
    return { kind: 'pipe', position, isAssignment, variables, commands };
  }

  /** `$x :=`, `$x =`, and in a range `$i, $x :=`. */
  #declarations(context: string): Pick<PipeNode, 'variables' | 'isAssignment'> {
    const variables: VariableNode[] = [];
    let isAssignment = false;
    while (this.#tokens.peekNonSpace().type === 'variable') {
      const variable = this.#tokens.nextNonSpace();
      const after = this.#tokens.peek();
      const next = this.#tokens.peekNonSpace();
      const isComma = next.type === 'char' && next.text === ',';
      if (next.type !== 'assign' && next.type !== 'declare' && !isComma) {
        // A space after the variable matters, since it separates operands.
        if (after.type === 'space') this.#tokens.putBack(variable, after);
        else this.#tokens.putBack(variable);
        break;
      }
      this.#tokens.nextNonSpace();
      variables.push({ kind: 'variable', position: variable.position, names: variable.text.split('.') });
      this.variables.push(variable.text);
      if (!isComma) {
        isAssignment = next.type === 'assign';
        break;
      }
      if (context !== 'range' || variables.length > 1) {
        this.#tokens.fail(`too many declarations in ${context}`);
      }
      const { type } = this.#tokens.peekNonSpace();
      if (type !== 'variable' && type !== 'rightDelim' && type !== 'rightParen') {
        this.#tokens.fail('range can only initialize variables');
      }
    }
    return { variables, isAssignment };
  }

  #command(): CommandNode {
    const { position } = this.#tokens.peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      // Skips spaces.
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand) args.push(operand);
      const token = this.#tokens.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.#tokens.putBack(token);
      else if (token.type !== 'pipe') this.unexpected(token, 'operand');
      break;
    }
    const [first, ...others] = args;
    if (!first) this.#tokens.fail('empty command');
    return { kind: 'command', position, args: [first, ...others] };
  }

  /** A term and the fields after it; undefined if the next token starts none. */
  #operand(): Operand | undefined {
    const term = this.#term();
    if (!term || this.#tokens.peek().type !== 'field') return term;
    const { position } = this.#tokens.peek();
    const names: string[] = [];
    while (this.#tokens.peek().type === 'field') names.push(this.#tokens.next().text.slice(1));
    switch (term.kind) {
      case 'field':
      case 'variable':
        return { kind: term.kind, position, names: [...term.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#tokens.fail(`unexpected . after term ${quoteText(nodeText(term))}`);
      default:
        return { kind: 'chain', position, operand: term, names };
    }
  }

  #term(): Operand | undefined {
    const token = this.#tokens.nextNonSpace();
    const { type, text, position } = token;
    switch (type) {
      case 'identifier':
        if (!this.#context.functionNames.has(text)) {
          const available = [...this.#context.functionNames];
          this.#tokens.fail(`function ${quoteText(text)} not defined`, { name: text, available });
        }
        return { kind: 'identifier', position, name: text };
      case 'dot':
      case 'nil':
        return { kind: type, position };
      case 'variable':
        if (!this.variables.includes(text)) this.#tokens.fail(`undefined variable ${quoteText(text)}`);
        return { kind: 'variable', position, names: [text] };
      case 'field':
        return { kind: 'field', position, names: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', position, value: text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const number = readNumber(token);
        return typeof number === 'string' ? this.#tokens.fail(number) : number;
      }
      case 'leftParen': {
        this.#context.checkDepth(++this.#depth);
        const pipe = this.pipeline('parenthesized pipeline', 'rightParen');
        this.#depth--;
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { kind: 'string', position, quoted: text, value: this.unquote(text) };
      default:
        this.#tokens.putBack(token);
        return undefined;
    }
  }

  /** The value of a string literal. */
  unquote(literal: string): string {
    return unquote(literal) ?? this.#tokens.fail('invalid syntax');
  }
}

/** The values of a constant, or the text of an error. */
function readNumber({ type, text, position }: Token): NumberNode | string {
  const node = { kind: 'number', position, text } as const;
  if (type === 'charConstant') {
    const rune = unquoteRune(text);
    if (!rune) return 'invalid syntax';
    if (rune.rest !== "'") return `malformed character constant: ${text}`;
    return { ...node, signed: BigInt(rune.code), unsigned: BigInt(rune.code), float: rune.code };
  }
  const isImaginary = text.endsWith('i') && readFloat(text.slice(0, -1)) !== undefined;
  if (type === 'complex' || isImaginary) return `complex constants are not supported: ${quote(text)}`;
  const magnitude = readInteger(text.replace(/^[+-]/, ''));
  const isNegative = text.startsWith('-');
  const integer = magnitude !== undefined && isNegative ? -magnitude : magnitude;
  if (integer !== undefined) {
    const signed = BigInt.asIntN(64, integer) === integer ? integer : undefined;
    // A sign makes it signed, except for -0.
    const hasSign = isNegative || text.startsWith('+');
    const isUnsigned = BigInt.asUintN(64, integer) === integer && (!hasSign || integer === 0n);
    const unsigned = isUnsigned ? integer : undefined;
    if (signed !== undefined || unsigned !== undefined) {
      return { ...node, signed, unsigned, float: Number(signed ?? unsigned) };
    }
  }
  const float = readFloat(text);
  if (float === undefined) return `illegal number syntax: ${quote(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quote(text)}`;
  const exact = Number.isInteger(float) ? BigInt(float) : undefined;
  const signed = exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact : undefined;
  const unsigned = exact !== undefined && BigInt.asUintN(64, exact) === exact ? exact : undefined;
  return { ...node, signed, unsigned, float };
}

/** Digits with an optional prefix (0x, 0o, 0b, 0) and underscores between them; undefined if it is something else. */
function readInteger(text: string): bigint | undefined {
  if (!hasGoodUnderscores(text)) return undefined;
  const digits = text.replaceAll('_', '');
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  if (/^(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(digits)) return BigInt(digits);
  return undefined;
}

/** Undefined also for numbers that are too large. */
function readFloat(text: string): number | undefined {
  if (!hasGoodUnderscores(text.replace(/^[+-]/, ''))) return undefined;
  const digits = text.replaceAll('_', '');
  const value = /^[+-]?0[xX]/.test(digits) ? readHexFloat(digits) : readDecimalFloat(digits);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

const readDecimalFloat = (text: string): number | undefined =>
  /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : undefined;

function readHexFloat(text: string): number | undefined {
  const match = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match ?? [];
  if (!match || whole + fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** Underscores are only between digits, or after a prefix. */
function hasGoodUnderscores(text: string): boolean {
  if (!text.includes('_')) return true;
  const prefix = /^0[xXbBoO]/.test(text) ? 2 : 0;
  const isHex = prefix > 0 && (text[1] === 'x' || text[1] === 'X');
  const digit = isHex ? /[0-9a-fA-F]/ : /[0-9]/;
  let last = prefix > 0 ? 'digit' : 'start';
  for (const char of text.slice(prefix)) {
    const kind = char === '_' ? 'underscore' : digit.test(char) ? 'digit' : 'other';
    if (kind === 'underscore' && last !== 'digit') return false;
    if (last === 'underscore' && kind !== 'digit') return false;
    last = kind;
  }
  return last !== 'underscore';
}
