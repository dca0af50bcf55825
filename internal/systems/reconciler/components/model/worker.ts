/** A worker of a pool, as its task sees it. */
export interface Worker {
  /** The task waits, and needs no worker until it resumes. */
  pause(): void;
  /** Resolves when the task has a worker again, or `signal` is aborted. */
  resume(signal: AbortSignal): Promise<void>;
}
