import type { Deps } from '../deps.ts';

/** A shared allowance that fills at a steady rate. */
export interface TokenBucket {
  /** Milliseconds until there is a token; 0: there is one. */
  waitMs(): number;
  /** Takes one token, which there must be. */
  take(): void;
}

export interface TokenBucketOptions extends Pick<Deps, 'clock'> {
  readonly ratePerSecond: number;
  /** Tokens that gather while none is taken (at least one), and the number at the start. */
  readonly burst: number;
}

export function createTokenBucket({ clock, ratePerSecond, burst }: TokenBucketOptions): TokenBucket {
  let tokens = burst;
  let at = clock.monotonic();
  const refill = () => {
    const now = clock.monotonic();
    tokens = Math.min(Math.max(burst, 1), tokens + ((now - at) / 1000) * ratePerSecond);
    at = now;
  };
  return {
    waitMs: () => {
      refill();
      // A timer that fires a rounding error too early must not be set again and again.
      return tokens > 1 - 1e-6 ? 0 : ((1 - tokens) / ratePerSecond) * 1000;
    },
    take: () => {
      tokens -= 1;
    },
  };
}
