/** Something in a source file that cannot be generated. The message begins with `file:line:column`. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(file: string, position: { readonly line: number; readonly col: number }, problem: string) {
    super(`${file}:${position.line}:${position.col}: ${problem}`);
  }
}
