/**
 * The error that a Go function returns. The message is the one of Go, which often quotes the arguments; the engine marks
 * it as quoting data.
 */
export class FunctionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
