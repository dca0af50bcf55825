import { isBreak } from './characters.ts';
import { YamlError } from './yaml-error.ts';

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
