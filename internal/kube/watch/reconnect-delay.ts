import type { Deps } from '../../base/deps.ts';
import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { isForbidden, isGone, isNotFound, isUnauthorized } from '../errors/errors.ts';
import type { WatchSessionEnd } from './watch-session.ts';

/** How long a watch waits before it connects again. There is no last attempt. */
export interface ReconnectDelay {
  /** Counts a failure and returns the ms to wait. */
  afterFailure(error: unknown): number;
  /** Takes note of how a watch ended, and returns the ms to wait before the next: 0 after an orderly end. */
  afterWatch(end: WatchSessionEnd): number;
}

export interface ReconnectDelayOptions extends Pick<Deps, 'random'> {
  /** The longest wait, in ms; default 30000. */
  readonly maxMs?: number;
}

/** Permissions and CRDs arrive late after an installation; their arrival should be noticed soon. */
const MAX_REFUSED_MS = 5_000;

/** A watch that ends sooner is not begun again at once even if it ended in order, or a server could keep us spinning. */
const SHORT_MS = 1000;

/**
 * Waits of 0.8 s doubling to 30 s, with 20 % of jitter either way, so that many clients do not return together. A
 * server that accepts watches is well: however often their connections are cut, the wait is the shortest.
 */
export function createReconnectDelay({ random, maxMs = 30_000 }: ReconnectDelayOptions): ReconnectDelay {
  const backoff = createBackoff({ baseMs: 800, maxMs });
  const afterFailure = (error: unknown): number => {
    const refused = isForbidden(error) || isUnauthorized(error) || isNotFound(error);
    const wait = Math.min(backoff.next('watch'), refused ? MAX_REFUSED_MS : maxMs);
    const asked = findCause(error, ProviderError)?.retryAfterMs ?? 0;
    return Math.max(jitter(wait, 0.2, random), asked);
  };
  return {
    afterFailure,
    afterWatch: ({ error, accepted, lastedMs }) => {
      const short = lastedMs < SHORT_MS;
      // A version that is too old right after it was listed may be so for ever, and lists are expensive.
      if (accepted && !(short && isGone(error))) backoff.forget('watch');
      const inOrder = error === undefined || isGone(error);
      return inOrder && !short ? 0 : afterFailure(error);
    },
  };
}
