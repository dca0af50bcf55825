import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import type { RetryPolicy } from './retry.ts';

export interface ExponentialBackoffOptions extends Pick<Deps, 'random' | 'log'> {
  /** The first delay, in ms; each further one is twice as long. */
  readonly backoffMs: number;
  readonly isRetryable: (error: unknown) => boolean;
}

/** Few: reconciles have a backoff of their own, and one that waits here keeps its worker. */
const MAX_RETRIES = 2;

/** For one call of an external API: two retries, each after twice the delay. */
export function exponentialBackoff(options: ExponentialBackoffOptions): RetryPolicy {
  const { random, log, backoffMs, isRetryable } = options;
  return (error, retries) => {
    if (retries >= MAX_RETRIES || !isRetryable(error)) return undefined;
    log.debug('repeating an external call', { attempt: retries + 1, error: messageOf(error) });
    return jitter(backoffMs * 2 ** retries, 0.2, random);
  };
}
