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

export type Keyword =
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
