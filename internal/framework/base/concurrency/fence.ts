import { type ErrorKind, ProviderError } from '../errors/errors.ts';

/**
 * Called directly before each write to an external API; throws FencedError if this process must not write any more. An
 * abort signal is not enough: after a pause of the process, responses are processed before timers fire. So a fence checks
 * the time itself.
 */
export type Fence = () => void;

/** The write was not sent, though nothing failed: another process sends it, or this one later. */
export class FencedError extends ProviderError {
  constructor(message: string, kind: ErrorKind = 'transient') {
    super(kind, message);
  }
}

/** Another replica may be the leader now. */
export class NotLeaderError extends FencedError {}

/**
 * The write is postponed. Kind `waiting`: for `delayMs`; `contested`: until another shard no longer owns the object;
 * `conflict`: until a reconcile of the newest version.
 */
export class PostponedError extends FencedError {
  readonly delayMs: number | undefined;

  constructor(kind: 'waiting' | 'contested' | 'conflict', message: string, delayMs?: number) {
    super(message, kind);
    this.delayMs = delayMs;
  }
}

/** Allows all writes. */
export const noFence: Fence = () => undefined;

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

/**
 * The transport of a read-only process (`plan`, `discover`, `doctor`) refused a write. The request was not sent. The message
 * has no query, which may contain IDs.
 */
export class ReadOnlyError extends FencedError {
  constructor(method: string, where: string) {
    super(`${method} ${where} was not sent: this process only reads`);
  }
}
