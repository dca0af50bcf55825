import type { Deps } from '../deps.ts';
import { type Clock, sleep } from '../time/clock.ts';

/** A token bucket, as in client-go's flowcontrol. */
export interface TokenBucket {
  /** Milliseconds until a token is available; 0: there is one. */
  waitMs(): number;
  /** Takes tokens, default one; requires `waitMs() === 0`. It may take more than there are: later ones wait longer. */
  take(tokens?: number): void;
}

export interface TokenBucketOptions extends Pick<Deps, 'clock'> {
  readonly ratePerSecond: number;
  /** Maximum of tokens (at least one), and the number at the start. */
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
      // Tolerates rounding errors, so that the timer of a caller is not set again.
      return tokens > 1 - 1e-6 ? 0 : ((1 - tokens) / ratePerSecond) * 1000;
    },
    take: (count = 1) => {
      tokens -= count;
    },
  };
}

export interface TakeOptions {
  readonly clock: Clock;
  /** Default: one. */
  readonly tokens?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits until there is a token and takes tokens in the same turn of the event loop. Rejects with the reason of the signal. */
export async function takeWhenAvailable(
  bucket: TokenBucket,
  { clock, tokens, signal }: TakeOptions,
): Promise<void> {
  for (let waitMs = bucket.waitMs(); waitMs > 0; waitMs = bucket.waitMs()) await sleep(clock, waitMs, signal);
  bucket.take(tokens);
}
