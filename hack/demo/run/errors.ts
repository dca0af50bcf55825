/** The user, or the system, interrupted the demo. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** The provider exited: the demo cannot go on. */
export class ProviderGone extends Error {
  constructor(how: string) {
    super(`the provider is gone: ${how}`);
  }
}
