import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';

export interface Grant {
  readonly token: string;
  /** Seconds from the request for it; absent if the token endpoint did not say. */
  readonly expiresInSeconds?: number;
}

/** Tokens by credentials ID. Holds nothing of the credentials themselves. */
export interface TokenSource {
  /**
   * A token that is not about to expire: the one in memory, or what `grant` brings. However many ask at the same
   * time, `grant` runs once; it is aborted when no caller waits for it any more.
   */
  token(
    credentialsID: string,
    grant: (signal: AbortSignal) => Promise<Grant>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Whether there is one that has not expired. */
  holds(credentialsID: string): boolean;
  /** Forgets `token`, and no other that has taken its place meanwhile. */
  drop(credentialsID: string, token: string): void;
  /** Forgets all. */
  clear(): void;
}

export interface TokenSourceOptions extends Pick<Deps, 'clock' | 'random'> {
  /** Of all tokens together; beyond it the least recently used are forgotten. */
  readonly maxBytes: number;
}

/** Where the token endpoint says nothing, in seconds. Too long costs one 401, too short a few grants. */
const ASSUMED_LIFETIME = 300;
/**
 * The longest lifetime that is believed, in seconds: XSUAA gives 12 hours by default and 24 at most. With a longer one,
 * which any host that credentials name may claim, a token would be kept without end.
 */
const MAX_LIFETIME = 86_400;
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

export function createTokenSource({ clock, random, maxBytes }: TokenSourceOptions): TokenSource {
  const held = createLruCache<string, HeldToken>({
    maxBytes,
    bytesOf: ({ token }) => textBytes(token),
  });
  const grants = createSharedCalls<HeldToken>({ onAnswer: (id, fetched) => void held.set(id, fetched) });

  const fetchWith = (grant: (signal: AbortSignal) => Promise<Grant>) => async (signal: AbortSignal) => {
    const askedAt = clock.monotonic();
    const { token, expiresInSeconds = ASSUMED_LIFETIME } = await grant(signal);
    const lifeMs = Math.min(expiresInSeconds, MAX_LIFETIME) * 1000;
    return {
      token,
      refreshAt: askedAt + lifeMs * REFRESH_AT * (1 - REFRESH_SPREAD * random()),
      expiresAt: askedAt + lifeMs,
    };
  };

  return {
    token: async (id, grant, signal) => {
      signal.throwIfAborted();
      const known = held.get(id);
      if (known !== undefined && clock.monotonic() < known.refreshAt) return known.token;
      try {
        return (await grants.join(id, fetchWith(grant), signal)).token;
      } catch (error) {
        // A token endpoint that is down need not matter yet.
        const now = clock.monotonic();
        if (signal.aborted || known === undefined || !outlasts(known, error, now)) throw error;
        held.set(id, { ...known, refreshAt: now + REFRESH_PAUSE_MS });
        return known.token;
      }
    },
    holds: (id) => {
      const known = held.get(id);
      return known !== undefined && clock.monotonic() < known.expiresAt;
    },
    drop: (id, token) => {
      if (held.get(id)?.token === token) held.delete(id);
    },
    clear: () => {
      held.clear();
      grants.abandonAll('the client was closed');
    },
  };
}

function outlasts(known: HeldToken, error: unknown, now: number): boolean {
  const kind = kindOf(error);
  return (kind === 'transient' || kind === 'throttled') && now < known.expiresAt;
}
