import { eventually } from '../../../test/environment/eventually.ts';

/** A condition to wait for, as texts: subject, expected text, actual text. A failure shows both texts. */
export type Expectation = {
  /** The subject: `the conditions of orders`. */
  readonly what: string;
  /** The actual text. An error counts as not met. */
  readonly actual: () => string | Promise<string>;
} & (
  | { /** The very text. */ readonly is: string }
  | { /** Texts that must all be included. */ readonly names: readonly string[] }
);

/** It did not come true. */
export class Unmet extends Error {
  readonly what: string;
  readonly expected: string;
  readonly found: string;

  constructor(what: string, expected: string, found: string) {
    super(`${what}: expected ${expected}, found ${found}`);
    this.what = what;
    this.expected = expected;
    this.found = found;
  }
}

export interface Patience {
  /** Milliseconds; 0: one check. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Polls until it holds, and returns the actual text; throws Unmet after the time-out. */
export function untilMet(expectation: Expectation, { timeoutMs, signal }: Patience): Promise<string> {
  return eventually(
    async () => {
      const found = await expectation.actual();
      if (!holds(expectation, found))
        throw new Unmet(expectation.what, expectedOf(expectation), markEmpty(found));
      return found;
    },
    { timeoutMs, intervalMs: 50, signal },
  );
}

const holds = (expectation: Expectation, found: string): boolean =>
  'is' in expectation ? found === expectation.is : expectation.names.every((name) => found.includes(name));

const expectedOf = (expectation: Expectation): string =>
  'is' in expectation ? markEmpty(expectation.is) : `a text with ${expectation.names.join(' and ')}`;

const markEmpty = (text: string): string => (text === '' ? '(nothing)' : text);
