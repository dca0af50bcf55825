/** Time as a collaborator: everything that waits or stamps takes a Clock, so that tests own the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump when the machine's time is set. */
  now(): number;
  /** Milliseconds from an arbitrary origin; never goes back. For measuring spans. */
  monotonic(): number;
  /** Calls `fn` once after `delayMs`. The returned function cancels it and is harmless afterwards. */
  after(delayMs: number, fn: () => void): () => void;
}

/** The longest delay a Node timer takes; a longer one would fire at once. */
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
