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
