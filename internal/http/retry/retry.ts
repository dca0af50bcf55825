import pRetry from 'p-retry';
import type { Deps } from '../../base/deps.ts';
import { sleep } from '../../base/time/clock.ts';

/**
 * Which errors are worth another attempt, and when: the delay before it in ms, or undefined for an error that is final.
 *
 * @param retries attempts repeated before
 */
export type RetryPolicy = (
  error: unknown,
  retries: number,
) => number | undefined | Promise<number | undefined>;

export interface RetryOptions extends Pick<Deps, 'clock'> {
  /** Ends the wait for the next attempt, with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly policy: RetryPolicy;
}

/**
 * Repeats `attempt` as its policy says. A result that arrives is a result, although the signal was aborted meanwhile.
 *
 * @param attempt gets the number of attempts that were repeated before
 * @throws the last attempt's error, or the signal's reason if that ended a wait
 */
export function retry<T>(
  attempt: (retries: number) => Promise<T>,
  { clock, signal, policy }: RetryOptions,
): Promise<T> {
  // The signal is not handed on to pRetry, which would prefer its reason to a result, or to an error that says more.
  return pRetry((attemptNumber) => attempt(attemptNumber - 1), {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 0,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (signal?.aborted) return false;
      const delayMs = await policy(error, attemptNumber - 1);
      if (delayMs === undefined) return false;
      if (delayMs > 0) await sleep(clock, delayMs, signal);
      return true;
    },
  });
}
