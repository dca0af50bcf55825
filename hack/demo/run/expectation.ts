import { eventually } from '../../../test/environment/eventually.ts';

/** It did not come true. */
export class Unmet extends Error {
  readonly lines: readonly string[];

  constructor(what: string, expected: string, found: string) {
    super(`${what}: expected ${expected}, found ${found}`);
    this.lines = [what, `  expected  ${expected}`, `  found     ${found}`];
  }
}

export interface UntilOptions {
  /** Milliseconds; 0: one check. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Polls until the text is as expected; throws Unmet after the time-out. An error of `actual` counts as not met.
 *
 * @param what the subject, for the message: `the conditions of orders`
 * @param expected the very text, or texts that must all be included
 */
export async function untilMet(
  what: string,
  actual: () => string | Promise<string>,
  expected: string | readonly string[],
  { timeoutMs, signal }: UntilOptions,
): Promise<void> {
  const check = async () => {
    const found = await actual();
    const isMet =
      typeof expected === 'string' ? found === expected : expected.every((text) => found.includes(text));
    if (isMet) return;
    const wanted =
      typeof expected === 'string' ? markEmpty(expected) : `a text with ${expected.join(' and ')}`;
    throw new Unmet(what, wanted, markEmpty(found));
  };
  await eventually(check, { timeoutMs, signal });
}

const markEmpty = (text: string): string => (text === '' ? '(nothing)' : text);
