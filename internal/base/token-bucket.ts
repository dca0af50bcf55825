import type { Clock } from './clock.ts';

/** A shared allowance that fills at a steady rate. */
export interface TokenBucket {
  /** Takes one token, from the future if there is none, and returns the ms until it is there (0: now). */
  reserve(): number;
}

export interface TokenBucketOptions {
  readonly clock: Clock;
  readonly ratePerSecond: number;
  /** Tokens that gather while nothing happens; also the number at the start. */
  readonly burst: number;
}

export function createTokenBucket({ clock, ratePerSecond, burst }: TokenBucketOptions): TokenBucket {
  let tokens = burst;
  let at = clock.monotonic();
  return {
    reserve: () => {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * ratePerSecond) - 1;
      at = now;
      return tokens >= 0 ? 0 : (-tokens / ratePerSecond) * 1000;
    },
  };
}
