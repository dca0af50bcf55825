/**
 * The rate limit of one client at one API. No request is delayed before the first 429, unless the API says what is left.
 *
 * - After a 429, requests pause for Retry-After. Then one request is sent, and with each answer one more at a time, so that the client
 *   is at its full speed within seconds.
 * - An API that says how many requests are left, and until when, is not asked for more.
 * - A request that would wait long fails at once, with a delay of its own, so that the next attempts are spread too.
 */
import type { Deps } from '../../base/deps.ts';
import { MAX_RETRY_AFTER_MS, ThrottledError } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';
import type { Quota } from '../retry/quota-headers.ts';

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
  /** A response other than 429. @param quota what the API says is left */
  answered(quota?: Quota): void;
  /** @param retryAfterMs undefined: the response does not say how long */
  refused(retryAfterMs: number | undefined): void;
  /** No response. */
  failed(): void;
}

export interface RateLimitOptions extends Pick<Deps, 'clock'> {
  /** For users: `this client of Bucket API`. */
  readonly name: string;
}

/** The first pause without Retry-After, in ms; doubles with each 429 in a row. */
const FIRST_PAUSE_MS = 1000;
const MAX_OWN_PAUSE_MS = 60_000;
/** A longer wait is an error, since a waiting reconcile occupies a worker. */
const MAX_WAIT_MS = 1000;
/** Between the next attempts of calls that are refused. */
const SPREAD_MS = 1;

export function createRateLimit({ clock, name }: RateLimitOptions): RateLimit {
  const slowStart = createSlowStart();
  /** Counts pauses. A 429 for a request that was sent before the last pause does not begin another one. */
  let epoch = 0;
  let pausedUntil = 0;
  let pausesInRow = 0;
  /** What the API allows until a time of the monotonic clock. */
  let quota: { left: number; readonly until: number } | undefined;
  /** The time of the next attempt of the last call that was refused. */
  let promisedUntil = 0;

  const refusal = (waitMs: number) => {
    const now = clock.monotonic();
    const next = Math.max(promisedUntil, now + waitMs) + SPREAD_MS;
    promisedUntil = Math.min(next, now + waitMs + MAX_RETRY_AFTER_MS);
    return new ThrottledError(
      `${name} has reached its rate limit and sends no request for a while`,
      promisedUntil - now,
    );
  };
  const assertOpen = () => {
    const now = clock.monotonic();
    if (pausedUntil > now) throw refusal(pausedUntil - now);
    if (quota !== undefined && quota.until <= now) quota = undefined;
    if (quota !== undefined && quota.left <= 0) throw refusal(quota.until - now);
  };
  const takePlace = async (signal: AbortSignal) => {
    const end = clock.monotonic() + MAX_WAIT_MS;
    while (!slowStart.take()) {
      const leftMs = end - clock.monotonic();
      if (leftMs <= 0) throw refusal(FIRST_PAUSE_MS);
      const waiting = new AbortController();
      const either = AbortSignal.any([signal, waiting.signal]);
      await Promise.race([slowStart.changed(), sleep(clock, leftMs, either)]).finally(() => waiting.abort());
      assertOpen();
    }
  };

  return {
    enter: async (signal) => {
      assertOpen();
      await takePlace(signal);
      let ownEpoch = epoch;
      const end = (answered: boolean) => {
        if (epoch === ownEpoch) slowStart.end(answered);
      };
      return {
        beforeSend: () => {
          if (epoch !== ownEpoch) {
            assertOpen();
            if (!slowStart.take()) throw refusal(FIRST_PAUSE_MS);
            ownEpoch = epoch;
          }
          if (quota !== undefined) quota.left--;
        },
        answered: (given) => {
          end(true);
          if (epoch !== ownEpoch) return;
          pausesInRow = 0;
          // Those in flight may not be counted yet.
          if (given !== undefined)
            quota = {
              left: given.remaining - slowStart.inFlight(),
              until: clock.monotonic() + given.resetMs,
            };
        },
        refused: (retryAfterMs) => {
          const isNew = epoch === ownEpoch;
          const ownPauseMs = Math.min(FIRST_PAUSE_MS * 2 ** pausesInRow, MAX_OWN_PAUSE_MS);
          const pauseMs = retryAfterMs ?? (isNew ? ownPauseMs : 0);
          pausedUntil = Math.max(pausedUntil, clock.monotonic() + pauseMs);
          if (!isNew) return;
          epoch++;
          pausesInRow++;
          quota = undefined;
          slowStart.restart();
        },
        failed: () => end(false),
      };
    },
  };
}

/**
 * The requests that may be in flight after a pause: one, and one more with each answer, so that their number doubles in the time of a
 * request (RFC 5681, section 3.1). Then any number.
 */
interface SlowStart {
  /** Takes a place at once, or returns false. */
  take(): boolean;
  /** Resolves when there may be a place. */
  changed(): Promise<void>;
  /** Returns a place. @param answered by a response that shows that the API takes requests */
  end(answered: boolean): void;
  /** Requests in flight since the last start. */
  inFlight(): number;
  /** Begins with one again. Places that were taken before are not returned. */
  restart(): void;
}

/** With so many in flight, the number is not limited any more: other limits are lower. */
const UNLIMITED_FROM = 64;

/** Without a restart, any number of requests may be in flight. */
function createSlowStart(): SlowStart {
  let allowed = Number.POSITIVE_INFINITY;
  let taken = 0;
  let change = Promise.withResolvers<void>();
  const notify = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    take: () => {
      if (taken >= allowed) return false;
      taken++;
      return true;
    },
    changed: () => change.promise,
    end: (answered) => {
      taken--;
      if (allowed === Number.POSITIVE_INFINITY) return;
      if (answered) allowed = allowed + 1 < UNLIMITED_FROM ? allowed + 1 : Number.POSITIVE_INFINITY;
      notify();
    },
    inFlight: () => taken,
    restart: () => {
      allowed = 1;
      taken = 0;
      notify();
    },
  };
}
