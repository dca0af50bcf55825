import { eventually } from '../../../test/environment/eventually.ts';

/**
 * Something that must come true, in words: what is looked at, what it should say, and what it says. Whoever reads of a
 * failure then sees both side by side.
 */
export type Expectation = {
  /** What is looked at: `the conditions of orders`. */
  readonly what: string;
  /** What it says now. An error counts as not yet. */
  readonly look: () => string | Promise<string>;
} & (
  | { /** The very text. */ readonly is: string }
  | { /** Texts that must all be part of it. */ readonly names: readonly string[] }
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
  /** Milliseconds; 0 looks once. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Looks again and again until it holds, and returns what was found; throws Unmet when patience is at its end. */
export function untilMet(expectation: Expectation, { timeoutMs, signal }: Patience): Promise<string> {
  return eventually(
    async () => {
      const found = await expectation.look();
      if (!holds(expectation, found))
        throw new Unmet(expectation.what, expectedOf(expectation), orNothing(found));
      return found;
    },
    { timeoutMs, intervalMs: 50, signal },
  );
}

const holds = (expectation: Expectation, found: string): boolean =>
  'is' in expectation ? found === expectation.is : expectation.names.every((name) => found.includes(name));

const expectedOf = (expectation: Expectation): string =>
  'is' in expectation ? orNothing(expectation.is) : `a text with ${expectation.names.join(' and ')}`;

const orNothing = (text: string): string => (text === '' ? '(nothing)' : text);
