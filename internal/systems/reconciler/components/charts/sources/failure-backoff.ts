import { createLruCache } from '../../../../../framework/base/collections/lru-cache.ts';
import type { Deps } from '../../../../../framework/base/deps.ts';
import { kindOf, messageOf, ThrottledError } from '../../../../../framework/base/errors/errors.ts';
import { createBackoff } from '../../../../../framework/base/time/backoff.ts';

/** Refuses calls of a key for a growing time after each failure, with the last failure in the message. */
export interface FailureBackoff {
  /** @throws ThrottledError in the time after a failure */
  run<T>(key: string, call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Failure {
  readonly until: number;
  readonly message: string;
}

/** Memory for the failures of about a thousand sources. */
const MAX_BYTES = 1024 * 1024;
const BASE_MS = 1000;
const MAX_MS = 60_000;

export function createFailureBackoff({ clock }: Pick<Deps, 'clock'>): FailureBackoff {
  const failures = createLruCache<string, Failure>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ message }) => 2 * message.length,
  });
  const counts = createLruCache<string, number>({ maxBytes: MAX_BYTES });
  const backoff = createBackoff({ baseMs: BASE_MS, maxMs: MAX_MS, counts });
  return {
    run: async (key, call, signal) => {
      const failure = failures.get(key);
      const waitMs = (failure?.until ?? 0) - clock.monotonic();
      if (failure !== undefined && waitMs > 0) throw new ThrottledError(failure.message, waitMs);
      try {
        const result = await call();
        backoff.forget(key);
        failures.delete(key);
        return result;
      } catch (error) {
        // An open circuit and a pause that a server wants have their own times.
        if (!signal.aborted && kindOf(error) !== 'throttled') {
          failures.set(key, { until: clock.monotonic() + backoff.next(key), message: messageOf(error) });
        }
        throw error;
      }
    },
  };
}
