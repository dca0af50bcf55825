import { byteLength } from '../values/text.ts';

/** The tokens of a template, with the names that Go uses. */
export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | 'nil'
  | Keyword;

type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'range'
  | 'template'
  | 'with';

export interface Token {
  readonly type: TokenType;
  /** The text of the token; of an error its message. */
  readonly text: string;
  /** Where it starts in the template, in UTF-16 units. */
  readonly position: number;
}

export const KEYWORDS: ReadonlySet<string> = new Set<Keyword>([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);

/** Whether Go writes a token in angle brackets: keywords, nil and the dot. */
export const isKeyword = ({ type }: Token): boolean => KEYWORDS.has(type) || type === 'nil' || type === 'dot';

/** A place in a template, as Go writes it. */
export interface SourcePosition {
  /** From 1. */
  readonly line: number;
  /** In bytes from the start of the line; the first is 0. */
  readonly column: number;
}

/** @param offset in UTF-16 units */
export function positionIn(source: string, offset: number): SourcePosition {
  let line = 1;
  let start = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { line, column: byteLength(source.slice(start, offset)) };
}
