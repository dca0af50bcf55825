import type { Value } from '../../values/value.ts';

/**
 * A function failed as it does in Go, where it returns an error and, beside it, a result. Functions whose name begins with
 * `must` end the template with the error; all others ignore it and give the result.
 */
export class Failure extends Error {
  readonly result: Value;

  /** @param result Default: nil. */
  constructor(message: string, result: Value = null) {
    super(message);
    this.name = new.target.name;
    this.result = result;
  }
}

/** A function panicked in Go. sprout makes it an error, without result. */
export class Panic extends Failure {
  /** The text of the panic. */
  readonly panic: string;

  constructor(message: string) {
    super(`cannot safecall function: recovered from a panic: ${message}`);
    this.panic = message;
  }
}
