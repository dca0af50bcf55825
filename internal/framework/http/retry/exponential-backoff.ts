import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import type { RetryPolicy } from './retry.ts';

export interface ExponentialBackoffOptions extends Pick<Deps, 'random' | 'log'> {
  /** The first delay, in ms; it doubles with each retry. */
  readonly backoffMs: number;
  readonly isRetryable: (error: unknown) => boolean;
}

/** Few, since a waiting reconcile occupies a worker. The work queue has a backoff as well. */
const MAX_RETRIES = 2;

/** The policy of one call of an external API: two retries with exponential delays. */
export function exponentialBackoff(options: ExponentialBackoffOptions): RetryPolicy {
  const { random, log, backoffMs, isRetryable } = options;
  return (error, retries) => {
    if (retries >= MAX_RETRIES || !isRetryable(error)) return undefined;
    log.debug('repeating an external call', { attempt: retries + 1, error: messageOf(error) });
    return jitter(backoffMs * 2 ** retries, 0.2, random);
  };
}
