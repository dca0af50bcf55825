/**
 * The sessions of a process with one external API.
 *
 * They share connections without a client certificate, tokens until they expire, slots of calls, and the circuit breaker
 * of each host. A session is created from freshly read credentials for one reconcile and closed at its end.
 */

import { createShares } from '../../base/collections/byte-budget.ts';
import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import { type LimitKeyOption, type Reserve, reserveNothing } from '../../base/concurrency/limit-key.ts';
import { createDeps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { keptMaskOf } from '../../base/text/redact.ts';
import { createHttpClient, type HttpClient } from '../client/http-client.ts';
import { rateLimitedHttpClient } from '../client/rate-limited-http-client.ts';
import { createCallSlots } from '../limits/call-slots.ts';
import { createHostSlots } from '../limits/host-slots.ts';
import { createRateLimit, type RateLimit } from '../limits/rate-limit.ts';
import {
  type ApiCredentials,
  clientCertificateOf,
  createCredentialsIDs,
  secretsOf,
} from '../oauth/api-credentials.ts';
import { type GrantOptions, grantToken } from '../oauth/client-credentials-grant.ts';
import { type FixedCredentials, fixedAuthorization, secretsOfFixed } from '../oauth/fixed-credentials.ts';
import { createTokenSource, type Grant } from '../oauth/token-source.ts';
import { openConnections, readOnlyConnections } from '../transport/connections.ts';
import { assertPublicEndpoint } from '../transport/endpoint-guard.ts';
import { type ApiSession, createApiSession } from './api-session.ts';
import type { ApiSessionsOptions } from './api-sessions-options.ts';
import { type CalledHosts, limitKeyNames, limitKeysOf } from './called-hosts.ts';
import { createSharedConnections, type UsedConnections } from './shared-connections.ts';

/** What `resume` needs. Contains no credential; the token stays in the token cache. */
export type SessionAccess = Pick<CalledHosts, 'credentialsID' | 'baseUrl'>;

/** What `reopen` needs. Contains no credential. */
export interface KnownAccess extends CalledHosts {
  /** Whether connections present a client certificate. */
  readonly hasCertificate: boolean;
  /** See ApiCredentials. */
  readonly source?: string | undefined;
}

export interface ApiSessions {
  /**
   * Opens no connection yet.
   *
   * @param reserve of the reconcile; calls may throw its NotAdmittedError. Default: no limit
   * @throws EndpointRefusedError if `baseUrl` or `tokenUrl` names a refused address
   */
  open(credentials: ApiCredentials, reserve?: Reserve): ApiSession;
  /**
   * As `open`, for credentials that each request carries: a bearer token, a user and password, an API key, or none.
   *
   * @throws ProviderError kind `auth` if no request can carry them
   */
  openFixed(credentials: FixedCredentials, reserve?: Reserve): ApiSession;
  /**
   * A session for credentials that can no longer be read: with a token in memory, or with fixed credentials that are kept; undefined if
   * there is neither. It requests no new token: calls without a valid one fail (`transient`).
   */
  resume(access: SessionAccess): ApiSession | undefined;
  /**
   * As `open`, for credentials of an earlier session that are not read as long as its token is valid. Undefined if there is no
   * valid token, or no connection with the client certificate.
   *
   * @param read reads the credentials for a new token; calls fail (`transient`) if they have changed
   */
  reopen(
    access: KnownAccess,
    read: (signal: AbortSignal) => Promise<ApiCredentials>,
    reserve?: Reserve,
  ): ApiSession | undefined;
  /**
   * The limit keys of a reconcile with calls to these hosts: the API, or the token endpoint if no token of the credentials
   * is in memory.
   */
  limitKeysOf(hosts: CalledHosts): readonly LimitKeyOption[];
  /** Closes shared connections and removes all tokens. */
  close(): Promise<void>;
}

/** Memory for about 10,000 tokens of the usual 1.5 KiB. */
const MAX_TOKEN_BYTES = 32 * 1024 * 1024;
/** Memory for about 4000 fixed credentials. */
const MAX_FIXED_BYTES = 4 * 1024 * 1024;
/** Memory for the rate limits of about 2000 clients. */
const MAX_LIMIT_BYTES = 1024 * 1024;
const LIMIT_BYTES = 500;
/** Of responses that are being received: a host can send all of one but its end, to each of a hundred reconciles. */
const MEMORY_OF_RESPONSES = { maxBytes: 32 * 1024 * 1024, maxBytesPerTenant: 16 * 1024 * 1024 };
/** Long enough to reuse connections for the next poll of many resources. */
const KEEP_ALIVE_MS = 30_000;

const changedCredentials = 'the credentials were changed since the last token was requested';
const noCredentials = 'the credentials cannot be read any more, and no token of theirs is left';

export function createApiSessions(options: ApiSessionsOptions): ApiSessions {
  const { limiter, system, apiName } = options;
  const deps = createDeps(options);
  const { maxCalls = 32, callsPerHost = 24, allowPrivateEndpoints = false, cacheTokens = true } = options;
  const { secretMethod = 'client_secret_basic', keepFixedCredentials = false } = options;
  const { fieldNames = { baseUrl: 'baseUrl', tokenUrl: 'tokenUrl' } } = options;
  const connectionOptions = {
    allowPrivateEndpoints,
    trustedCertificates: options.trustedCertificates ?? [],
    env: options.env ?? {},
    perOrigin: callsPerHost,
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    keepAliveMs: KEEP_ALIVE_MS,
    lookup: options.lookup,
  };
  const hostSlots = createHostSlots(Math.min(maxCalls, callsPerHost), (host) => {
    for (const key of limitKeyNames(apiName, host)) limiter.grown(key);
  });
  const http = createHttpClient({
    ...deps,
    system,
    hostSlots,
    slots: createCallSlots({ ...deps, limiter, maxCalls, callsPerHost, apiName }),
    callTimeoutMs: options.callTimeoutMs ?? 10_000,
    maxResponseBytes: options.maxResponseBytes ?? 2 * 1024 * 1024,
    memory: createShares(MEMORY_OF_RESPONSES),
  });
  const limits = (holdsToken: boolean) => ({ apiName, hostSlots, holdsToken });
  const newTokenSource = () => createTokenSource({ ...deps, maxBytes: MAX_TOKEN_BYTES });
  const sharedTokens = newTokenSource();
  const sharedConnections = openConnections(connectionOptions);
  const identified = createSharedConnections({ ...deps, idleMs: options.keepClientConnectionsMs ?? 0 });
  const { idOf, idOfFixed } = createCredentialsIDs();
  const rateLimits = createLruCache<string, RateLimit>({
    maxBytes: MAX_LIMIT_BYTES,
    bytesOf: () => LIMIT_BYTES,
  });
  const keptFixed = createLruCache<string, FixedCredentials>({
    maxBytes: MAX_FIXED_BYTES,
    bytesOf: (credentials) => textBytes(credentials.baseUrl, ...secretsOfFixed(credentials)),
  });
  const httpOf = (credentialsID: string): HttpClient => {
    if (options.rateLimits === undefined) return http;
    const limit =
      rateLimits.get(credentialsID) ?? createRateLimit({ ...deps, name: `this client of ${apiName}` });
    rateLimits.set(credentialsID, limit);
    return rateLimitedHttpClient({ ...deps, http, limit, ...options.rateLimits });
  };
  /** What its responses take counts for the tenant, or else for their host. */
  const chargedTo = ({ tenant }: Reserve, client: HttpClient): HttpClient => ({
    send: (call, signal) => client.send({ tenant: tenant || call.request.url.host, ...call }, signal),
  });
  const granted = async (
    parts: Pick<GrantOptions, 'dispatcher' | 'contextOf' | 'credentials'>,
    reserve: Reserve,
    signal: AbortSignal,
  ): Promise<Grant> => ({
    ...(await grantToken({ ...parts, http: chargedTo(reserve, http), secretMethod }, signal)),
    kept: keptMaskOf(secretsOf(parts.credentials)),
  });
  /** @param own connections with the client certificate; default: those without one */
  const shared = (hosts: CalledHosts, reserve: Reserve, own?: UsedConnections) => {
    const connections = own?.connections ?? sharedConnections;
    return {
      http: chargedTo(reserve, httpOf(hosts.credentialsID)),
      limits,
      hosts,
      reserve,
      connections: options.readOnly ? readOnlyConnections(connections, hosts.tokenUrl) : connections,
      close: async () => own?.release(),
    };
  };
  const fixedSession = (credentialsID: string, credentials: FixedCredentials, reserve: Reserve) =>
    createApiSession(options, {
      ...shared({ credentialsID, baseUrl: credentials.baseUrl, tokenUrl: '' }, reserve),
      isResumable: keepFixedCredentials,
      secrets: new Set(secretsOfFixed(credentials)),
      source: credentials.source,
      authorization: { middleware: fixedAuthorization(credentials) },
    });
  return {
    open: (credentials, reserve = reserveNothing) => {
      const { baseUrl, tokenUrl } = credentials;
      if (!allowPrivateEndpoints) {
        assertPublicEndpoint(new URL(baseUrl), fieldNames.baseUrl);
        assertPublicEndpoint(new URL(tokenUrl), fieldNames.tokenUrl);
      }
      const credentialsID = idOf(credentials);
      const certificate = clientCertificateOf(credentials);
      const own =
        certificate && identified.use(credentialsID, () => openConnections(connectionOptions, certificate));
      return createApiSession(options, {
        ...shared({ credentialsID, baseUrl, tokenUrl }, reserve, own),
        isResumable: own === undefined && cacheTokens,
        secrets: new Set(secretsOf(credentials)),
        source: credentials.source,
        authorization: {
          grant: (parts, signal) => granted({ ...parts, credentials }, reserve, signal),
          tokens: cacheTokens ? sharedTokens : newTokenSource(),
        },
      });
    },
    openFixed: (credentials, reserve = reserveNothing) => {
      const { baseUrl } = credentials;
      if (!allowPrivateEndpoints) assertPublicEndpoint(new URL(baseUrl), fieldNames.baseUrl);
      const credentialsID = idOfFixed(credentials);
      const session = fixedSession(credentialsID, credentials, reserve);
      if (keepFixedCredentials) keptFixed.set(credentialsID, credentials);
      return session;
    },
    reopen: ({ hasCertificate, source, ...hosts }, read, reserve = reserveNothing) => {
      const { credentialsID } = hosts;
      if (!cacheTokens || !sharedTokens.holds(credentialsID)) return undefined;
      const own = hasCertificate ? identified.reuse(credentialsID) : undefined;
      if (hasCertificate && own === undefined) return undefined;
      const { token, kept } = sharedTokens.maskedBy(credentialsID) ?? {};
      return createApiSession(options, {
        ...shared(hosts, reserve, own),
        isResumable: !hasCertificate,
        secrets: new Set(token === undefined ? [] : [token]),
        // Masks the credentials that are read for a new token as well: they are the same.
        kept,
        source,
        authorization: {
          grant: async (parts, signal) => {
            const credentials = await read(signal);
            if (idOf(credentials) !== credentialsID) throw new ProviderError('transient', changedCredentials);
            return granted({ ...parts, credentials }, reserve, signal);
          },
          tokens: sharedTokens,
        },
      });
    },
    resume: ({ credentialsID, baseUrl }) => {
      if (options.readOnly) return undefined;
      const fixed = keptFixed.get(credentialsID);
      if (fixed !== undefined) return fixedSession(credentialsID, fixed, reserveNothing);
      if (!cacheTokens || !sharedTokens.holds(credentialsID)) return undefined;
      const { token, kept } = sharedTokens.maskedBy(credentialsID) ?? {};
      return createApiSession(options, {
        ...shared({ credentialsID, baseUrl, tokenUrl: '' }, reserveNothing),
        isResumable: true,
        secrets: new Set(token === undefined ? [] : [token]),
        kept,
        authorization: {
          grant: () => Promise.reject(new ProviderError('transient', noCredentials)),
          tokens: sharedTokens,
        },
      });
    },
    limitKeysOf: (hosts) =>
      limitKeysOf(hosts, limits(cacheTokens && sharedTokens.holds(hosts.credentialsID))),
    close: async () => {
      sharedTokens.clear();
      keptFixed.clear();
      await Promise.all([sharedConnections.close(), identified.close()]);
    },
  };
}
