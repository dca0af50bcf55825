/** A place in a text. */
export interface Mark {
  readonly index: number;
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

/** Reads a text character by character and knows its line and column. */
export class Cursor {
  readonly text: string;
  index = 0;
  line = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.index - this.#lineStart;
  }

  get mark(): Mark {
    return { index: this.index, line: this.line, column: this.column };
  }

  /** The character `offset` further on; NaN beyond the end. */
  peek(offset = 0): number {
    return this.text.charCodeAt(this.index + offset);
  }

  skip(count = 1): void {
    this.index += count;
  }

  /** The character as text, which is skipped. */
  read(): string {
    return this.text.charAt(this.index++);
  }

  /** Skips a line break and returns it as YAML normalizes it; empty if there is none. */
  readBreak(): string {
    const code = this.peek();
    if (!isBreak(code)) return '';
    this.index += code === 0x0d && this.peek(1) === 0x0a ? 2 : 1;
    this.line++;
    this.#lineStart = this.index;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** Treats the end of the text as a new line. */
  endLine(): void {
    if (this.column === 0) return;
    this.line++;
    this.#lineStart = this.index;
  }

  /** @throws YamlError at the current line */
  fail(problem: string): never {
    throw new YamlError(this.line === 0 ? problem : `line ${this.line + 1}: ${problem}`);
  }

  /** As `fail`, where Go names the line of the context if the problem is in the first line. */
  failIn(context: Mark, problem: string): never {
    if (this.line === 0 && context.line !== 0) throw new YamlError(`line ${context.line}: ${problem}`);
    this.fail(problem);
  }
}

// Classes of characters of YAML 1.1. Characters are UTF-16 units; NaN is the end of the text.

export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const isEnd = (code: number): boolean => Number.isNaN(code) || code === 0;

export const isBreakOrEnd = (code: number): boolean => isBreak(code) || isEnd(code);

export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);

/** A letter, a digit, `_` or `-`. */
export const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x5f ||
  code === 0x2d;

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** What may not be in a document at all. Escaped bytes (see gotemplate/values/text.ts) are not UTF-8. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Why a text cannot be read. Undefined: it can. */
export function findForbidden(text: string): string | undefined {
  const found = FORBIDDEN.exec(text)?.[0].charCodeAt(0);
  if (found === undefined) return undefined;
  if (found < 0xdc80 || found > 0xdcff) return 'control characters are not allowed';
  // The byte begins a character if it is one of these.
  const isLeading = found >= 0xdcc0 && found <= 0xdcf7;
  return isLeading ? 'invalid trailing UTF-8 octet' : 'invalid leading UTF-8 octet';
}

/** A text is no YAML as the library of Helm reads it, or a value cannot be written. The message is the one of that library. */
export class YamlError extends Error {
  /** @param prefix of the part of the library that refuses the text */
  constructor(message: string, prefix = 'yaml: ') {
    super(`${prefix}${message}`);
    this.name = new.target.name;
  }
}
