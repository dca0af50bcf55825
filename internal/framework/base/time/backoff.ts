/** The delay before the next attempt, for each key. */
export interface Backoff {
  /** Counts a failure of `key` and returns the milliseconds to wait before its next attempt. */
  next(key: string): number;
  /** Failures of `key` since the last `forget`. */
  failures(key: string): number;
  /** Resets the count: the next delay is the shortest. */
  forget(key: string): void;
}

export interface BackoffOptions {
  /** The first wait, in ms; default 1000. */
  readonly baseMs?: number;
  /** The longest wait, in ms; default 60000. */
  readonly maxMs?: number;
  /** Stores the counts; default: a new map. */
  readonly counts?: FailureCounts;
}

/** Failures by key; a Map implements it. */
export interface FailureCounts {
  get(key: string): number | undefined;
  set(key: string, count: number): unknown;
  delete(key: string): boolean;
}

/** Exponential: 1, 2, 4, 8, 16, 32, 60, 60 … seconds by default, as the item backoff of crossplane-runtime (`ratelimiter`). */
export function createBackoff({
  baseMs = 1000,
  maxMs = 60_000,
  counts = new Map<string, number>(),
}: BackoffOptions = {}): Backoff {
  return {
    next: (key) => {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return Math.min(baseMs * 2 ** count, maxMs);
    },
    failures: (key) => counts.get(key) ?? 0,
    forget: (key) => {
      counts.delete(key);
    },
  };
}
