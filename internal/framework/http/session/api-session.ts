import type { Middleware } from 'openapi-fetch';
import type { Reserve } from '../../base/concurrency/limit-key.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { JsonLimits } from '../../base/json/json-text.ts';
import { createScrubber, type KeptMask } from '../../base/text/redact.ts';
import { type ApiClient, createApiClient, type ErrorOf, errorResponses } from '../client/api-client.ts';
import { bearerToken } from '../client/bearer-token.ts';
import type { HttpClient } from '../client/http-client.ts';
import { errorOfCall, isRetryable, NoResponseError } from '../errors/errors.ts';
import type { GrantOptions } from '../oauth/client-credentials-grant.ts';
import type { Grant, TokenSource } from '../oauth/token-source.ts';
import { exponentialBackoff } from '../retry/exponential-backoff.ts';
import { retry } from '../retry/retry.ts';
import type { Connections } from '../transport/connections.ts';
import type { ApiSessionsOptions } from './api-sessions-options.ts';
import { type CalledHosts, type HostLimits, limitKeysOf } from './called-hosts.ts';

/** One call of an API with its retries. */
export interface SessionCall {
  /** Completes `cannot …`. */
  readonly doing: string;
  /** Aborts the call with its retries and waits. The call throws its reason. */
  readonly signal: AbortSignal;
  /** Default: transient errors. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** The route of a call that must not be retried if its response may have been lost, e.g. `POST /v1/buckets`. */
  readonly unrepeatable?: string;
}

export interface SessionClientOptions {
  /** For JSON bodies, in addition to the limit in bytes. Default: depth 32, 20,000 values. */
  readonly jsonLimits?: Omit<JsonLimits, 'maxLength'>;
  /** The error for a response other than success. Default: `errorOfResponse`. */
  readonly errorOf?: ErrorOf;
}

export interface TokenCheck {
  /** Seconds, from the token endpoint; absent if it did not return it. */
  readonly expiresInSeconds?: number;
}

/**
 * The access of one client to one API, for one reconcile. Only a keyed hash of the credentials outlives it, and fixed credentials with
 * `keepFixedCredentials`.
 */
export interface ApiSession {
  /** A keyed hash, equal for equal credentials within this process. A key to share responses. */
  readonly credentialsID: string;
  readonly hosts: CalledHosts;
  /** Whether `resume` can use its token or fixed credentials later. False with a client certificate or without shared tokens. */
  readonly isResumable: boolean;
  /** A typed client of the API. It authorizes requests and throws for responses other than success. */
  client<Paths extends object>(options?: SessionClientOptions): ApiClient<Paths>;
  /**
   * Must be called before the calls: takes the slots that the reconcile needs.
   *
   * @throws NotAdmittedError, and errors of a token grant
   */
  admit(call: Pick<SessionCall, 'doing' | 'signal'>): Promise<void>;
  /**
   * Retries `attempt` after transient errors until the signal is aborted. Throws the error of `errorOfCall`:
   * `cannot <doing>: <cause>`.
   */
  call<T>(call: SessionCall, attempt: () => Promise<T>): Promise<T>;
  /** Masks the secrets of the credentials, its tokens, and texts with the form of a credential. */
  scrub(text: string): string;
  /** Requests a new token without the cache, for diagnosis; with fixed credentials there is none to request. */
  checkToken(signal: AbortSignal): Promise<TokenCheck>;
  /** The slots are for others, although the reconcile goes on. A later call takes them again. */
  release(): void;
  /** Closes connections of these credentials, unless they are kept. Later calls throw. */
  close(): Promise<void>;
}

export interface ApiSessionParts {
  readonly http: HttpClient;
  readonly limits: (holdsToken: boolean) => HostLimits;
  readonly hosts: CalledHosts;
  readonly isResumable: boolean;
  /** Masked in messages. Tokens are added, and credentials that are read later. */
  readonly secrets: Set<string>;
  /** Of credentials that an earlier session has read. Default: none. */
  readonly kept?: readonly KeptMask[] | undefined;
  /** See ApiCredentials. */
  readonly source?: string | undefined;
  readonly authorization: TokenAuthorization | FixedAuthorization;
  readonly connections: Connections;
  readonly reserve: Reserve;
  readonly close: () => Promise<void>;
}

/** Requests carry a token, which `grant` requests. */
export interface TokenAuthorization {
  readonly grant: (
    parts: Pick<GrantOptions, 'dispatcher' | 'contextOf'>,
    signal: AbortSignal,
  ) => Promise<Grant>;
  readonly tokens: TokenSource;
}

/** Requests carry the credentials. */
export interface FixedAuthorization {
  readonly middleware: Middleware;
}

/** How a session authorizes its requests. */
interface Authorizer {
  readonly middleware: Middleware;
  readonly holdsToken: () => boolean;
  readonly fetchToken: (signal: AbortSignal) => Promise<string>;
  readonly check: (signal: AbortSignal) => Promise<TokenCheck>;
}

export function createApiSession(options: ApiSessionsOptions, parts: ApiSessionParts): ApiSession {
  const { clock, random, log, retryBackoffMs: backoffMs = 200 } = options;
  const { http, hosts, connections, secrets, kept, source: credentials } = parts;
  const { credentialsID, baseUrl, tokenUrl } = hosts;
  const scrub = (text: string) => createScrubber(secrets, kept)(text);
  const contextOf = (route: string) => ({ route, scrub, nowMs: clock.now() });
  let closed = false;
  const assertOpen = () => {
    if (closed) throw new ProviderError('bug', 'the client is closed');
  };

  const repeat = <T>(
    attempt: () => Promise<T>,
    { signal, isRetryable: passes = isRetryable }: Pick<SessionCall, 'signal' | 'isRetryable'>,
  ) => {
    const policy = exponentialBackoff({ random, log, backoffMs, isRetryable: passes });
    return retry(attempt, { clock, signal, policy });
  };

  const byToken = ({ tokens, grant: requestToken }: TokenAuthorization): Authorizer => {
    const grant = async (signal: AbortSignal): Promise<Grant> => {
      const dispatcher = () => connections.dispatcherFor(new URL(tokenUrl));
      try {
        return await repeat(() => requestToken({ dispatcher, contextOf }, signal), { signal });
      } catch (error) {
        // If the grant of the token got no response, the call itself was not sent.
        if (error instanceof NoResponseError && !error.aborted)
          throw new ProviderError(error.kind, error.message);
        throw error;
      }
    };
    const token = async (signal: AbortSignal): Promise<string> => {
      assertOpen();
      const value = await tokens.token(credentialsID, grant, signal);
      secrets.add(value);
      return value;
    };
    return {
      middleware: bearerToken({ token, onRefused: (value) => tokens.drop(credentialsID, value) }),
      holdsToken: () => tokens.holds(credentialsID),
      fetchToken: (signal) => tokens.token(credentialsID, grant, signal),
      check: async (signal) => {
        const { expiresInSeconds } = await grant(signal);
        return expiresInSeconds === undefined ? {} : { expiresInSeconds };
      },
    };
  };
  const byCredentials = ({ middleware }: FixedAuthorization): Authorizer => ({
    middleware,
    holdsToken: () => true,
    fetchToken: () => Promise.reject(new ProviderError('bug', 'fixed credentials have no token')),
    check: async () => ({}),
  });
  const authorizer =
    'tokens' in parts.authorization ? byToken(parts.authorization) : byCredentials(parts.authorization);
  const admission = createAdmission({ hosts, limits: parts.limits, reserve: parts.reserve, ...authorizer });

  return {
    credentialsID,
    hosts,
    isResumable: parts.isResumable,
    client: <Paths extends object>({ jsonLimits, errorOf }: SessionClientOptions = {}) => {
      const dispatcherFor = (url: URL) => connections.dispatcherFor(url);
      const client = createApiClient<Paths>({ baseUrl, http, dispatcherFor, jsonLimits });
      // After the response, middleware runs in reverse order: a 401 is retried before it is an error.
      client.use({ onRequest: assertOpen }, errorResponses({ clock, scrub, errorOf }), authorizer.middleware);
      return client;
    },
    admit: async ({ doing, signal }) => {
      try {
        assertOpen();
        await admission.admit(signal);
      } catch (error) {
        throw errorOfCall(error, { doing, signal, scrub, credentials });
      }
    },
    call: async (call, attempt) => {
      try {
        return await repeat(attempt, call);
      } catch (error) {
        throw errorOfCall(error, { ...call, scrub, credentials });
      }
    },
    scrub,
    release: admission.release,
    checkToken: async (signal) => {
      try {
        return await authorizer.check(signal);
      } catch (error) {
        throw errorOfCall(error, { doing: `get a token from ${tokenUrl}`, signal, scrub, credentials });
      }
    },
    close: async () => {
      closed = true;
      await parts.close();
    },
  };
}

/** Takes slots for the calls of one client, for its reconcile. */
interface Admission {
  /**
   * Must be called before the calls. The reconcile has a slot of the token endpoint until there is a token, then a slot of
   * the API. If no token is granted, it keeps the slot of the token endpoint for retries.
   *
   * @throws NotAdmittedError, and errors of `fetchToken`
   */
  admit(signal: AbortSignal): Promise<void>;
  /** The slot of the API is for others, although the reconcile goes on. A later call takes one again. */
  release(): void;
}

interface AdmissionOptions {
  readonly hosts: CalledHosts;
  readonly limits: (holdsToken: boolean) => HostLimits;
  readonly reserve: Reserve;
  readonly holdsToken: () => boolean;
  readonly fetchToken: (signal: AbortSignal) => Promise<string>;
}

function createAdmission({ hosts, limits, reserve, holdsToken, fetchToken }: AdmissionOptions): Admission {
  let admitted: (() => void) | undefined;
  return {
    admit: async (signal) => {
      if (admitted !== undefined) return;
      if (!holdsToken()) {
        const release = reserve(limitKeysOf(hosts, limits(false)));
        await fetchToken(signal);
        release();
      }
      admitted = reserve(limitKeysOf(hosts, limits(true)));
    },
    release: () => {
      admitted?.();
      admitted = undefined;
    },
  };
}
