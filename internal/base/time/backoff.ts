/** How long each key must wait for its next attempt; a failure of one key says nothing about another. */
export interface Backoff {
  /** Counts a failure of `key` and returns the milliseconds to wait before its next attempt. */
  next(key: string): number;
  /** Failures of `key` counted since it was last forgotten. */
  failures(key: string): number;
  /** Starts anew: the next wait is the shortest. */
  forget(key: string): void;
}

export interface BackoffOptions {
  /** The first wait, in ms; default 1000. */
  readonly baseMs?: number;
  /** No wait is longer, in ms; default 60000. */
  readonly maxMs?: number;
  /** Where failures are counted; default: a map of its own. */
  readonly counts?: FailureCounts;
}

/** Failures by key, as a Map has them. */
export interface FailureCounts {
  get(key: string): number | undefined;
  set(key: string, count: number): unknown;
  delete(key: string): boolean;
}

/** Waits that double: 1, 2, 4, 8, 16, 32, 60, 60 … seconds by default, as the Crossplane runtime does per item. */
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
