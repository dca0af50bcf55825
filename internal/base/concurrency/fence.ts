import { type ErrorKind, ProviderError } from '../errors/errors.ts';

/**
 * Asked right before each change outside of Kubernetes; throws FencedError where this process must not make it any
 * more. A signal may come late to a process that stood still (frozen, swapped out, a paused machine): when it goes on,
 * answers that came meanwhile are read before any timer has its turn. So whoever writes looks at the time itself.
 */
export type Fence = () => void;

/** The change was not made, though nothing failed: another process makes it, or this one later. */
export class FencedError extends ProviderError {
  constructor(message: string, kind: ErrorKind = 'transient') {
    super(kind, message);
  }
}

/** Another replica may lead by now, and makes the change. */
export class NotLeaderError extends FencedError {}

/**
 * The change has to wait. The kind says for what: `waiting` for `delayMs`, `contested` for another shard that
 * owns the object, `conflict` for a reconcile of the newest version.
 */
export class PostponedError extends FencedError {
  readonly delayMs: number | undefined;

  constructor(kind: 'waiting' | 'contested' | 'conflict', message: string, delayMs?: number) {
    super(message, kind);
    this.delayMs = delayMs;
  }
}

/** For a process that may always write. */
export const noFence: Fence = () => undefined;
