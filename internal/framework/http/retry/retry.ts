import pRetry from 'p-retry';
import type { Deps } from '../../base/deps.ts';
import { sleep } from '../../base/time/clock.ts';

/**
 * The delay before the next attempt in ms, or undefined if the error is final.
 *
 * @param retries number of retries so far
 */
export type RetryPolicy = (
  error: unknown,
  retries: number,
) => number | undefined | Promise<number | undefined>;

export interface RetryOptions extends Pick<Deps, 'clock'> {
  /** Ends the wait for the next attempt. */
  readonly signal?: AbortSignal | undefined;
  readonly policy: RetryPolicy;
}

/**
 * Retries `attempt` by its policy. A result is returned even if the signal was aborted in the meantime.
 *
 * @param attempt gets the number of retries so far
 * @throws the error of the last attempt, or the signal's reason during a wait
 */
export async function retry<T>(
  attempt: (retries: number) => Promise<T>,
  { clock, signal, policy }: RetryOptions,
): Promise<T> {
  // Most requests succeed at once: what pRetry sets up for each call costs more than the rest of a call.
  const first = (async () => attempt(0))();
  try {
    return await first;
  } catch {
    // The policy decides below.
  }
  // pRetry does not get the signal: it would throw its reason instead of a result or a more specific error.
  return pRetry((attemptNumber) => (attemptNumber === 1 ? first : attempt(attemptNumber - 1)), {
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
