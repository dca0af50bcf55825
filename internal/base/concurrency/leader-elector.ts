/** Elects one of several replicas as the leader. */
export interface LeaderElector {
  /** Resolves when this process leads; rejects with the reason of the signal. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Calls `fn` once when leadership is lost, unless it was released. */
  onLost(fn: () => void): void;
  /** Throws FencedError unless this process leads, even before a timer noticed the loss. */
  assertLeading(): void;
  /** Releases leadership, so that another replica leads at once. */
  release(): Promise<void>;
}
