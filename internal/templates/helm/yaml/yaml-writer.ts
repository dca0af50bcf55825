/** The text that is written, with the state by which indentation and spaces follow. */
export class YamlWriter {
  readonly #parts: string[] = [];
  column = 0;
  /** Of the current block, in columns; -1 at the top. */
  indent = -1;
  /** The last character was white space. */
  #isAfterSpace = true;
  /** Nothing but indentation is in the line. */
  isIndented = true;
  /** Longer lines are broken at the next space. */
  readonly width: number;

  constructor(width: number) {
    this.width = width;
  }

  get text(): string {
    return this.#parts.join('');
  }

  put(text: string): void {
    this.#parts.push(text);
    // A character beyond U+FFFF is one.
    for (const _ of text) this.column++;
  }

  putBreak(text = '\n'): void {
    this.#parts.push(text);
    this.column = 0;
  }

  /** A space, if there is none. */
  separate(): void {
    if (!this.#isAfterSpace) this.put(' ');
    this.isIndented = false;
  }

  /** `-`, `:`, `[` and the like. */
  indicator(
    text: string,
    options: { readonly separate?: boolean; readonly isSpace?: boolean; readonly keepsIndent?: boolean } = {},
  ): void {
    if (options.separate && !this.#isAfterSpace) this.put(' ');
    this.put(text);
    this.#isAfterSpace = options.isSpace ?? false;
    this.isIndented &&= options.keepsIndent ?? false;
  }

  /** Goes to the start of a line with the current indentation. */
  writeIndent(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.isIndented || this.column > indent || (this.column === indent && !this.#isAfterSpace)) {
      this.putBreak();
    }
    if (this.column < indent) this.put(' '.repeat(indent - this.column));
    this.startLine();
  }

  startLine(): void {
    this.#isAfterSpace = true;
    this.isIndented = true;
  }

  endScalar(): void {
    this.#isAfterSpace = false;
    this.isIndented = false;
  }
}
