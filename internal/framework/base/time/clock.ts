import { ProviderError } from '../errors/errors.ts';

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

/** A signal that aborts with `parent` or after `timeoutMs`. Must be disposed after use. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** @param doing completes the sentence `timed out after 60 s: …` */
export function withDeadline(clock: Clock, timeoutMs: number, doing: string, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParentAbort = () => controller.abort(parent?.reason);
  if (parent?.aborted) onParentAbort();
  parent?.addEventListener('abort', onParentAbort, { once: true });
  const cancel = clock.after(timeoutMs, () =>
    controller.abort(new ProviderError('transient', `timed out after ${timeoutMs / 1000} s: ${doing}`)),
  );
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      cancel();
      parent?.removeEventListener('abort', onParentAbort);
    },
  };
}

/** The time since it was started, in ms. */
export type Stopwatch = () => number;

/**
 * Starts a stopwatch for the age of a permission. It returns the larger of the times by the monotonic and the wall clock:
 * the monotonic clock may stop while a machine is suspended, and the wall clock may be set back.
 */
export function startStopwatch(clock: Clock): Stopwatch {
  const monotonic = clock.monotonic();
  const wall = clock.now();
  return () => Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}
