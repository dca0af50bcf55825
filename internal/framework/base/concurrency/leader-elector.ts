/** Elects one of several replicas as the leader. */
export interface LeaderElector {
  /** Resolves when this process leads; rejects with the reason of the signal. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Calls `fn` once when leadership is lost, unless it was released. */
  onLost(fn: () => void): void;
  /** Throws FencedError unless this process leads, even before a timer noticed the loss. */
  assertLeading(): void;
  /**
   * Releases leadership, so that another replica leads at once. Repeats what fails, since an upgrade may take the right
   * to write from this replica for a moment, until `signal` is aborted or leadership has expired; then it rejects with
   * the last error.
   */
  release(signal: AbortSignal): Promise<void>;
}
