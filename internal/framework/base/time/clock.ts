/** Injected everywhere, so that tests control the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch; jumps when the system time is set. */
  now(): number;
  /** Milliseconds since an arbitrary time; never decreases. For durations. */
  monotonic(): number;
  /** Calls `fn` once after `delayMs`. Returns the function that cancels it. */
  after(delayMs: number, fn: () => void): () => void;
}

/** The longest delay of a Node timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, fn) => {
    const timer = setTimeout(fn, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
