/**
 * The rate limit of one client at one API, learned from its 429 responses. No request is delayed before the first 429.
 *
 * - After a 429, requests pause for Retry-After. Then one request at a time is sent until one is not answered with 429.
 * - If many requests led to the 429, later ones are spread evenly, below the rate of those. The rate grows slowly, so that a
 *   higher limit is found.
 * - A request that would wait long fails at once, with a delay of its own, so that the next attempts are spread too.
 */
import type { Deps } from '../../base/deps.ts';
import { MAX_RETRY_AFTER_MS, ThrottledError } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';
import { createRequestCounter } from './request-counter.ts';

export interface RateLimit {
  /**
   * Waits for the turn of a request.
   *
   * @throws ThrottledError if it is not its turn soon; the signal's reason
   */
  enter(signal: AbortSignal): Promise<LimitedCall>;
}

/** One request. Exactly one of the functions that report its outcome is called, once. */
export interface LimitedCall {
  /**
   * Called directly before the request is sent, which may be long after its turn if it waits for a slot.
   *
   * @throws ThrottledError after a 429 for another request meanwhile
   */
  beforeSend(): void;
  /** A response other than 429. */
  answered(): void;
  /** @param retryAfterMs undefined: the response has no valid Retry-After */
  refused(retryAfterMs: number | undefined): void;
  /** No response. */
  failed(): void;
}

export interface RateLimitOptions extends Pick<Deps, 'clock'> {
  /** For users: `this client of Bucket API`. */
  readonly name: string;
}

/** Limits of requests usually count per minute. */
const WINDOW_MS = 60_000;
/** Fewer requests before a 429 do not show the limit: others may share it. */
const MIN_REQUESTS = 100;
/** The learned rate, as a share of the rate that led to the 429. */
const SHARE = 0.9;
/** The same if Retry-After exceeds the window, so that the requests of the whole window are not known. */
const CAUTIOUS_SHARE = 0.5;
/** Growth of the rate in one window without a 429. */
const GROWTH = 1.05;
/** The first pause without Retry-After, in ms; doubles with each 429 in a row. */
const FIRST_PAUSE_MS = 1000;
/** A longer wait is an error, since a waiting reconcile occupies a worker. */
const MAX_WAIT_MS = 1000;
/** Between the next attempts of calls that are refused, if no rate is known. */
const SPREAD_MS = 10;

export function createRateLimit({ clock, name }: RateLimitOptions): RateLimit {
  const requests = createRequestCounter({ clock });
  /** Counts pauses. A 429 for a request that was sent before the last pause does not begin another one. */
  let epoch = 0;
  let pausedUntil = 0;
  /** Since the last pause, no request was answered. */
  let unproven = false;
  let probing = false;
  let pausesInRow = 0;
  /** The time between requests; zero: no rate is known. */
  let pace = { intervalMs: 0, since: 0, nextAt: 0 };
  /** The time of the next attempt of the last call that was refused. */
  let promisedUntil = 0;

  const intervalMs = () => pace.intervalMs / GROWTH ** ((clock.monotonic() - pace.since) / WINDOW_MS);

  const refusal = (waitMs: number) => {
    const now = clock.monotonic();
    const next = Math.max(promisedUntil, now + waitMs) + Math.max(intervalMs(), SPREAD_MS);
    promisedUntil = Math.min(next, now + waitMs + MAX_RETRY_AFTER_MS);
    return new ThrottledError(
      `${name} has reached its rate limit and sends no request for a while`,
      promisedUntil - now,
    );
  };
  const assertOpen = () => {
    const waitMs = pausedUntil - clock.monotonic();
    if (waitMs > 0) throw refusal(waitMs);
    if (unproven && probing) throw refusal(FIRST_PAUSE_MS);
  };
  /** Takes the next turn and returns the time until it. */
  const takeTurn = () => {
    const now = clock.monotonic();
    const at = Math.max(now, pace.nextAt);
    if (at - now > MAX_WAIT_MS) throw refusal(at - now);
    pace.nextAt = at + intervalMs();
    return at - now;
  };
  const learn = (pauseMs: number) => {
    const isLong = pauseMs > WINDOW_MS;
    // The window of the API ends with the pause, so it began this long ago.
    const count = requests.within(isLong ? WINDOW_MS : WINDOW_MS - pauseMs);
    const known = (1000 / intervalMs()) * SHARE;
    const seen =
      count < MIN_REQUESTS
        ? Number.POSITIVE_INFINITY
        : (count * 1000 * (isLong ? CAUTIOUS_SHARE : SHARE)) / WINDOW_MS;
    pace = { intervalMs: 1000 / Math.min(known, seen), since: pausedUntil, nextAt: pausedUntil };
  };

  return {
    enter: async (signal) => {
      assertOpen();
      const waitMs = takeTurn();
      if (waitMs > 0) {
        await sleep(clock, waitMs, signal);
        assertOpen();
      }
      let ownEpoch = epoch;
      const isProbe = unproven;
      if (isProbe) probing = true;
      const end = () => {
        if (isProbe) probing = false;
      };
      return {
        beforeSend: () => {
          if (epoch !== ownEpoch) {
            assertOpen();
            if (unproven) throw refusal(FIRST_PAUSE_MS);
            ownEpoch = epoch;
          }
          requests.add();
        },
        answered: () => {
          end();
          if (epoch !== ownEpoch) return;
          unproven = false;
          pausesInRow = 0;
        },
        refused: (retryAfterMs) => {
          end();
          const isNew = epoch === ownEpoch;
          const ownPauseMs = Math.min(FIRST_PAUSE_MS * 2 ** pausesInRow, WINDOW_MS);
          const pauseMs = retryAfterMs ?? (isNew ? ownPauseMs : 0);
          pausedUntil = Math.max(pausedUntil, clock.monotonic() + pauseMs);
          if (!isNew) return;
          epoch++;
          pausesInRow++;
          unproven = true;
          learn(pauseMs);
        },
        failed: end,
      };
    },
  };
}
