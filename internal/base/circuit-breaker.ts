import type { Clock } from './clock.ts';
import { ThrottledError } from './errors.ts';
import { jitter, type Random } from './random.ts';

/** What became of one attempt. Tell one of the three, once. */
export interface Attempt {
  /** There was an answer, whatever it said. */
  answered(): void;
  /** There was none in time. */
  silent(): void;
  /** It ended otherwise and says nothing about the other side. */
  inconclusive(): void;
}

/**
 * Keeps calls away from something that swallows them, so that it cannot take all workers: after so many silent
 * attempts in a row nobody is let through for a while, then one at a time until one is answered.
 */
export interface CircuitBreaker {
  /** @throws ThrottledError while nobody is let through; its time is that of the next chance */
  enter(): Attempt;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** As users name it: `host api.example.com`. */
  readonly name: string;
  /** Silent attempts in a row until it opens; default 5. */
  readonly threshold?: number;
  /** How long it stays open the first time, in ms; doubles while the silence lasts. Default 5000. */
  readonly openMs?: number;
  /** Default 60000. */
  readonly maxOpenMs?: number;
}

export function createCircuitBreaker({
  clock,
  random,
  name,
  threshold = 5,
  openMs = 5000,
  maxOpenMs = 60_000,
}: CircuitBreakerOptions): CircuitBreaker {
  let silence = 0;
  let openings = 0;
  let openUntil = 0;
  let probing = false;

  const isOpen = () => openings > 0;
  const open = () => {
    const span = Math.min(openMs * 2 ** openings, maxOpenMs);
    openings++;
    openUntil = clock.monotonic() + jitter(span, 0.1, random);
  };
  const refusal = (waitMs: number) =>
    new ThrottledError(
      `${name} has not answered for ${silence} calls in a row and is left alone for a while (circuit open)`,
      waitMs,
    );

  return {
    enter: () => {
      const waitMs = openUntil - clock.monotonic();
      if (isOpen() && waitMs > 0) throw refusal(waitMs);
      if (probing) throw refusal(openMs);
      const probe = isOpen();
      const openingsAtEntry = openings;
      probing = probe;
      const end = () => {
        if (probe) probing = false;
      };
      return {
        answered: () => {
          end();
          silence = 0;
          openings = 0;
        },
        silent: () => {
          end();
          // Attempts that were under way when it opened all fall silent together; that is one reason to open, not many.
          if (openings !== openingsAtEntry) return;
          silence++;
          if (probe || silence >= threshold) open();
        },
        inconclusive: end,
      };
    },
  };
}
