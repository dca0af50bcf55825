import { quote } from '../format/quote.ts';
import { ExpressionParser, type ParseContext } from './expression-parser.ts';
import type { BranchNode, Node, PipeNode, RangeNode } from './nodes.ts';
import { TokenStream } from './token-stream.ts';
import type { Token } from './tokens.ts';

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
