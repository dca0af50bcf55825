import pRetry from 'p-retry';
import { type Clock, sleep } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { jitter, type Random } from '../../base/random.ts';

export interface Retries {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The first wait, in ms; the next are twice as long each. */
  readonly backoffMs: number;
}

/** Few: whoever called has a backoff of its own, and a worker that waits here does nothing else. */
const MAX_ATTEMPTS = 3;

/** Repeats `attempt` while its error is one that `mayPass`, a few times, within the signal's life. */
export function retrying<T>(
  { clock, random, log, backoffMs }: Retries,
  signal: AbortSignal,
  mayPass: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  // The signal is not handed on: a result that came is a result, and an error may say more than the signal's reason.
  return pRetry(attempt, {
    retries: MAX_ATTEMPTS - 1,
    minTimeout: 0,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (signal.aborted || !mayPass(error)) return false;
      log.debug('repeating an external call', { attempt: attemptNumber, error: messageOf(error) });
      await sleep(clock, jitter(backoffMs * 2 ** (attemptNumber - 1), 0.2, random), signal);
      return true;
    },
  });
}
