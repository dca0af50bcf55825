import { sleep, systemClock } from '../../internal/base/time/clock.ts';

export interface EventuallyOptions {
  /** Time-out in ms. Default 90 s, long enough for a busy machine. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two attempts. Default 100. */
  readonly intervalMs?: number;
  /** Ends the wait immediately, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `attempt` until it returns instead of throwing, and returns what it returned; throws its last error
 * when the time is up. Put the `expect` calls inside.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 90_000, intervalMs = 100, signal }: EventuallyOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(systemClock, intervalMs, signal);
  }
}
