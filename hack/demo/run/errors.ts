/** The user, or the system, asked the demo to end. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** The provider ended by itself: nothing more can be shown. */
export class ProviderGone extends Error {
  constructor(how: string) {
    super(`the provider is gone: ${how}`);
  }
}
