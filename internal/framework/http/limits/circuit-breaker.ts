import type { Deps } from '../../base/deps.ts';
import { ThrottledError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';

/** A failure that takes this share of the timeout of the attempt counts as slow. */
export const SLOW_SHARE = 0.25;

/** Reports the outcome of one attempt. Exactly one of the functions is called, once. */
export interface Attempt {
  /** The external API works: earlier failures no longer count. */
  succeeded(): void;
  /** No response in time, or a late error. */
  failedSlowly(): void;
  /** A quick error or an abort. Does not count. */
  inconclusive(): void;
}

/**
 * Stops calls to an external API that fails slowly, so that they do not take the slots of others: after `threshold` slow
 * failures in a row it opens and refuses attempts, then it admits one probe at a time until one succeeds. Outcomes of
 * attempts that began before it opened do not count.
 */
export interface CircuitBreaker {
  /** @throws ThrottledError while it is open, with the time until the next probe */
  enter(): Attempt;
}

export interface CircuitBreakerOptions extends Pick<Deps, 'clock' | 'random'> {
  /** For users: `host api.example.com`. */
  readonly name: string;
  /** Slow failures in a row until it opens; default 5. */
  readonly threshold?: number;
  /** How long it stays open the first time, in ms; doubles with each slow failure of a probe. Default 5000. */
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
  let failures = 0;
  let openings = 0;
  let openUntil = 0;
  let probing = false;
  /** Counts openings, also those of the past. Attempts of an earlier epoch do not count. */
  let epoch = 0;

  const isOpen = () => openings > 0;
  const open = () => {
    const span = Math.min(openMs * 2 ** openings, maxOpenMs);
    openings++;
    epoch++;
    openUntil = clock.monotonic() + jitter(span, 0.1, random);
  };
  const refusal = (waitMs: number) =>
    new ThrottledError(
      `${name} has not answered in time for ${failures} calls in a row and is not called for a while (circuit open)`,
      waitMs,
    );

  return {
    enter: () => {
      const waitMs = openUntil - clock.monotonic();
      if (isOpen() && waitMs > 0) throw refusal(waitMs);
      if (probing) throw refusal(openMs);
      const probe = isOpen();
      const epochAtEntry = epoch;
      probing = probe;
      const end = () => {
        if (probe) probing = false;
      };
      return {
        succeeded: () => {
          end();
          if (epoch !== epochAtEntry) return;
          failures = 0;
          openings = 0;
        },
        failedSlowly: () => {
          end();
          if (epoch !== epochAtEntry) return;
          failures++;
          if (probe || failures >= threshold) open();
        },
        inconclusive: end,
      };
    },
  };
}
