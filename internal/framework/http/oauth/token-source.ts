import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';
import type { KeptMask } from '../../base/text/redact.ts';

export interface Grant {
  readonly token: string;
  /** Seconds from the request; absent if the token endpoint did not return it. */
  readonly expiresInSeconds?: number;
  /** Masks the credentials in texts as long as the token is used. Default: nothing. */
  readonly kept?: KeptMask;
}

/** Tokens by credentials ID. The credentials are not kept; what masks them in texts is, as long as their token. */
export interface TokenSource {
  /**
   * A token that does not expire soon: from memory, or from `grant`. Concurrent calls share one `grant`, which is aborted
   * when all its callers are aborted.
   */
  token(
    credentialsID: string,
    grant: (signal: AbortSignal) => Promise<Grant>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Whether a token that has not expired is in memory. */
  holds(credentialsID: string): boolean;
  /**
   * What masks the responses to requests with the token. An API may quote the credentials in any response, also when their Secret is
   * not read any more. Undefined if no token is in memory.
   */
  maskedBy(credentialsID: string): { readonly token: string; readonly kept: readonly KeptMask[] } | undefined;
  /** Removes `token`, but not a newer one. */
  drop(credentialsID: string, token: string): void;
  /** Removes all tokens. */
  clear(): void;
}

export interface TokenSourceOptions extends Pick<Deps, 'clock' | 'random'> {
  /** Memory of all tokens; the least recently used are removed beyond it. */
  readonly maxBytes: number;
}

/** If the token endpoint returns no lifetime, in seconds. Too long costs one 401, too short a few grants. */
const ASSUMED_LIFETIME = 300;
/**
 * The longest lifetime that is accepted, in seconds: XSUAA returns 12 hours by default and 24 at most. The host of the
 * endpoint is untrusted.
 */
const MAX_LIFETIME = 86_400;
/**
 * The shortest lifetime that is accepted, in seconds: with none, each call would need several grants. If the token has
 * expired indeed, the API responds with 401, and the token is dropped.
 */
const MIN_LIFETIME = 10;
/** The part of a token's lifetime after which it is refreshed, with jitter. */
const REFRESH_AT = 0.8;
const REFRESH_JITTER = 0.1;
/** The delay after a failed refresh, while the old token is still valid. */
const REFRESH_PAUSE_MS = 5000;

/** Of the forms of a client secret; those of a private key take some times as much. */
const MASK_BYTES = 2048;

interface HeldToken {
  readonly token: string;
  readonly kept: readonly KeptMask[];
  readonly refreshAt: number;
  readonly expiresAt: number;
}

export function createTokenSource({ clock, random, maxBytes }: TokenSourceOptions): TokenSource {
  const held = createLruCache<string, HeldToken>({
    maxBytes,
    bytesOf: ({ token, kept }) => textBytes(token) + kept.length * MASK_BYTES,
  });
  const grants = createSharedCalls<HeldToken>({ onAnswer: (id, fetched) => void held.set(id, fetched) });

  const fetchWith = (grant: (signal: AbortSignal) => Promise<Grant>) => async (signal: AbortSignal) => {
    const requestedAt = clock.monotonic();
    const { token, expiresInSeconds = ASSUMED_LIFETIME, kept } = await grant(signal);
    const lifeMs = Math.min(Math.max(expiresInSeconds, MIN_LIFETIME), MAX_LIFETIME) * 1000;
    return {
      token,
      kept: kept === undefined ? [] : [kept],
      refreshAt: requestedAt + lifeMs * REFRESH_AT * (1 - REFRESH_JITTER * random()),
      expiresAt: requestedAt + lifeMs,
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
        // The old token may still be valid.
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
    maskedBy: (id) => {
      const known = held.get(id);
      return known && { token: known.token, kept: known.kept };
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
