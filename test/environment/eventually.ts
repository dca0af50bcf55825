import { sleep, systemClock } from '../../internal/framework/base/time/clock.ts';

export interface EventuallyOptions {
  /** Time-out in ms. Default 90 s, long enough for a busy machine. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two attempts. Default: 50 at first, and more the longer it takes, up to 300. */
  readonly intervalMs?: number;
  /** Ends the wait immediately, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Most waits end soon. In long ones the attempts of all tests would be a fifth of the requests to the API servers. */
const FIRST_INTERVAL_MS = 50;
const LAST_INTERVAL_MS = 300;
const GROWTH = 1.1;

/**
 * Runs `attempt` until it returns instead of throwing, and returns what it returned; throws its last error
 * when the time is up. Put the `expect` calls inside.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 90_000, intervalMs, signal }: EventuallyOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let interval = FIRST_INTERVAL_MS; ; interval = Math.min(GROWTH * interval, LAST_INTERVAL_MS)) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(systemClock, intervalMs ?? interval, signal);
  }
}
