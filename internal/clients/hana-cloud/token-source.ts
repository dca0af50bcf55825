import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { kindOf, ProviderError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';

export interface Grant {
  readonly token: string;
  /** Seconds from the request for it; absent if the token endpoint did not say. */
  readonly expiresInSeconds?: number;
}

/** Tokens by credentials ID. Holds nothing of the credentials themselves. */
export interface TokenSource {
  /**
   * A token that is not about to expire: the one in memory, or what `grant` brings. However many ask at the same
   * time, `grant` runs once; it is aborted when nobody waits for it any more.
   */
  token(
    credentialsID: string,
    grant: (signal: AbortSignal) => Promise<Grant>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Forgets `token`, and no other that has taken its place meanwhile. */
  drop(credentialsID: string, token: string): void;
  /** Forgets all. */
  clear(): void;
}

export interface TokenSourceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Beyond it the least recently used are forgotten. */
  readonly maxTokens: number;
}

/** Where the token endpoint says nothing, in seconds. Too long costs one 401, too short a few grants. */
const ASSUMED_LIFETIME = 300;
/** The part of a token's life after which a new one is fetched; a little earlier for some, so that not all come at once. */
const REFRESH_AT = 0.8;
const REFRESH_SPREAD = 0.1;
/** How long a good token is used without another attempt at a new one, after an attempt that failed. */
const REFRESH_PAUSE_MS = 5000;

interface HeldToken {
  readonly token: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

interface Flight {
  readonly result: Promise<HeldToken>;
  readonly controller: AbortController;
  waiters: number;
  /** Whoever began it has left, and may have closed the connection it runs on. */
  orphaned: boolean;
}

export function createTokenSource({ clock, random, maxTokens }: TokenSourceOptions): TokenSource {
  const held = new LRUCache<string, HeldToken>({ max: maxTokens });
  const flights = new Map<string, Flight>();

  const fly = (id: string, grant: (signal: AbortSignal) => Promise<Grant>): Flight => {
    const controller = new AbortController();
    const askedAt = clock.monotonic();
    const fetch = async () => {
      const { token, expiresInSeconds = ASSUMED_LIFETIME } = await grant(controller.signal);
      const lifeMs = expiresInSeconds * 1000;
      const fetched = {
        token,
        refreshAt: askedAt + lifeMs * REFRESH_AT * (1 - REFRESH_SPREAD * random()),
        expiresAt: askedAt + lifeMs,
      };
      if (flights.get(id) === flight) held.set(id, fetched);
      return fetched;
    };
    const flight: Flight = { controller, waiters: 0, orphaned: false, result: Promise.resolve().then(fetch) };
    const land = () => {
      if (flights.get(id) === flight) flights.delete(id);
    };
    flight.result.then(land, land);
    flights.set(id, flight);
    return flight;
  };

  const token: TokenSource['token'] = async (id, grant, signal) => {
    signal.throwIfAborted();
    const known = held.get(id);
    if (known !== undefined && clock.monotonic() < known.refreshAt) return known.token;
    const joined = flights.get(id);
    const flight = joined ?? fly(id, grant);
    flight.waiters++;
    try {
      return (await untilAborted(flight.result, signal)).token;
    } catch (error) {
      if (signal.aborted) {
        if (joined === undefined) flight.orphaned = true;
        throw error;
      }
      if (joined?.orphaned) return token(id, grant, signal);
      // A token endpoint that is down need not matter yet.
      const now = clock.monotonic();
      if (known === undefined || !outlasts(known, error, now)) throw error;
      held.set(id, { ...known, refreshAt: now + REFRESH_PAUSE_MS });
      return known.token;
    } finally {
      flight.waiters--;
      if (flight.waiters === 0) abandon(id, flight, 'nobody waits for this token any more');
    }
  };
  const abandon = (id: string, flight: Flight, why: string) => {
    if (flights.get(id) === flight) flights.delete(id);
    flight.controller.abort(new ProviderError('transient', why));
  };

  return {
    token,
    drop: (id, token) => {
      if (held.get(id)?.token === token) held.delete(id);
    },
    clear: () => {
      held.clear();
      for (const [id, flight] of flights) abandon(id, flight, 'HANA Cloud was closed');
    },
  };
}

function outlasts(known: HeldToken, error: unknown, now: number): boolean {
  const kind = kindOf(error);
  return (kind === 'transient' || kind === 'throttled') && now < known.expiresAt;
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
