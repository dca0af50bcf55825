import { ProviderError } from './errors.ts';

/**
 * Asked right before each change outside of Kubernetes; throws FencedError where this process must not make it any
 * more. A signal may come late to a process that stood still (frozen, swapped out, a paused machine): when it goes on,
 * answers that came meanwhile are read before any timer has its turn. So whoever writes looks at the time itself.
 */
export type Fence = () => void;

/** The change was not made: another process may be in charge by now. Kind `transient`: that one makes it. */
export class FencedError extends ProviderError {
  constructor(message: string) {
    super('transient', message);
  }
}

/** For a process that may always write. */
export const noFence: Fence = () => undefined;
