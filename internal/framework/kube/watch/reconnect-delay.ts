import type { Deps } from '../../base/deps.ts';
import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { isForbidden, isGone, isInvalid, isNotFound, isUnauthorized } from '../errors/errors.ts';
import type { WatchSessionEnd } from './watch-session.ts';

/** How a watch connects again. */
export interface ReconnectDelay {
  /** Counts a failure and returns the ms to wait. */
  afterFailure(error: unknown): number;
  /** Returns the ms to wait after a watch has ended: 0 if the server ended it regularly. */
  afterWatch(end: WatchSessionEnd): number;
  /** Whether the next watch may continue from the version of the one that has ended. Called once for each. */
  mayContinue(end: WatchSessionEnd): boolean;
}

export interface ReconnectDelayOptions extends Pick<Deps, 'random'> {
  /** The longest wait, in ms; default 30000. */
  readonly maxMs?: number;
}

/** After an installation permissions and CRDs may follow late and should be noticed soon. */
const MAX_REFUSED_MS = 5_000;

/** A watch that ends sooner is not restarted at once, even after a regular end: this prevents a busy loop. */
const SHORT_MS = 1000;

/**
 * So many watches in a row without an event or bookmark that end out of order, from one version: another server may have taken over, etcd
 * may have been restored, or the next event may be one that cannot be read. A list finds out. Without success it doubles, since lists are
 * expensive.
 */
const FRUITLESS = { min: 3, max: 384 };

/**
 * Delays of 0.8 s, doubled up to 30 s, with a jitter of 20 %, so that many clients do not reconnect together. A watch that
 * the server accepted resets the delay, even if its connection is lost.
 */
export function createReconnectDelay({ random, maxMs = 30_000 }: ReconnectDelayOptions): ReconnectDelay {
  const backoff = createBackoff({ baseMs: 800, maxMs });
  let fruitless = 0;
  let maxFruitless = FRUITLESS.min;
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
      // A version that is too old right after the list may stay so, and lists are expensive.
      if (accepted && !(short && isGone(error))) backoff.forget('watch');
      const inOrder = error === undefined || isGone(error);
      return inOrder && !short ? 0 : afterFailure(error);
    },
    mayContinue: ({ error, accepted, lastedMs, progressed }) => {
      if (isGone(error)) return false;
      const inOrder = error === undefined && lastedMs >= SHORT_MS;
      if (progressed) {
        fruitless = 0;
        maxFruitless = FRUITLESS.min;
      } else if (!inOrder && (accepted || isInvalid(error))) fruitless++;
      if (fruitless < maxFruitless) return true;
      fruitless = 0;
      maxFruitless = Math.min(2 * maxFruitless, FRUITLESS.max);
      return false;
    },
  };
}
