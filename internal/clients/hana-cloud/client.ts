/**
 * HANA Cloud as this provider sees it: the instance mappings of the HANA Cloud Administration API.
 *
 * A `HanaCloud` lives as long as the process and owns what may be shared: connections without a client
 * certificate, tokens until they expire, lists for a moment, the breaker of each host. A `HanaCloudClient` is made from freshly read
 * credentials for one reconcile and closed at its end; what outlives it of the credentials is a keyed hash.
 *
 * The contract stands in `openapi.yaml`; types come from it and the simulator is validated against it.
 * Rule: hana-inventory, "HANA Cloud Administration API" and Security.
 */
import { ProviderError } from '../../base/errors.ts';
import type { Fence } from '../../base/fence.ts';
import { type LimitKey, type Reserve, reserveNothing } from '../../base/limit-key.ts';
import { createScrubber } from '../../base/redact.ts';
import { createAdmission } from './admission.ts';
import { mayPass } from './answer-error.ts';
import { errorOfCall } from './call-error.ts';
import { createCallSlots } from './call-slots.ts';
import { type CalledHosts, type HostLimits, limitKeysOf } from './called-hosts.ts';
import { type Caller, createCaller } from './caller.ts';
import { type Connections, openConnections } from './connections.ts';
import type { AdminCredentials } from './credentials.ts';
import { createCredentialsIDs } from './credentials-id.ts';
import { assertPublicEndpoint } from './endpoint-guard.ts';
import type { HanaCloudOptions } from './hana-cloud-options.ts';
import { assertPathSegment, createMappingsApi, type Send } from './mappings-api.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { components } from './openapi.gen.ts';
import { readOnlyConnections } from './read-only-connections.ts';
import { retrying } from './retry.ts';
import { createSharedLists, type SharedLists } from './shared-lists.ts';
import { type GrantOptions, grantToken } from './token-grant.ts';
import { createTokenSource, type Grant, type TokenSource } from './token-source.ts';
import { apiOf, viewerOf } from './viewer.ts';

export type { HanaCloudOptions } from './hana-cloud-options.ts';

/** What a mapping leads to: a Kubernetes cluster, a Cloud Foundry organisation, or a subaccount. */
export type Platform = components['schemas']['Platform'];

/** A mapping to be made. For Kubernetes: cluster ID and namespace. */
export interface NewInstanceMapping {
  readonly platform: Platform;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

/** A mapping as HANA Cloud has it. */
export interface InstanceMapping {
  /** One of `Platform`, or what a later version of the API has beside them. */
  readonly platform: string;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

export interface InstanceMappingKey {
  readonly primaryID: string;
  readonly secondaryID?: string;
}

export type MappingList =
  | { readonly state: 'listed'; readonly mappings: readonly InstanceMapping[] }
  /**
   * The API's own 404: the instance is unknown to it, or hidden from these credentials, or has no mapping; the API
   * does not say which. A 404 of a router never gets here.
   */
  | { readonly state: 'not-found'; readonly mappings: readonly []; readonly message: string };

export interface CallOptions {
  /** Ends the call, retries and waiting included. Its reason is what the call then throws. */
  readonly signal: AbortSignal;
}

export interface ListOptions extends CallOptions {
  /**
   * Whether a list that somebody else got with these credentials a moment ago will do. Without it, HANA Cloud is asked,
   * or a list that is under way is waited for. In neither case does the list date from before the last write that went
   * through this process.
   */
  readonly isEnough?: (list: MappingList) => boolean;
}

export interface WriteOptions extends CallOptions {
  /** Asked whenever the request is about to leave, also to be repeated; what it throws keeps it back. */
  readonly fence: Fence;
}

/**
 * One set of credentials' view of HANA Cloud. Every call is bounded in time and size and throws
 * - `auth`: credentials or token refused (once more with a new token after a 401), or EndpointRefusedError
 * - ThrottledError: 429, or 503 with Retry-After, or the host's circuit is open; with the time of the next attempt
 * - `transient`: no answer, 5xx, a 404 that is not the API's own, an answer that does not fit the contract
 *
 * Lists, deletions and token grants are repeated a few times inside the signal's life; a create only if it
 * provably never left.
 */
export interface HanaCloudClient {
  /** Equal for equal credentials within this process, and says nothing about them: a key for sharing answers. */
  readonly credentialsID: string;
  /**
   * Who asks, the same in every process: a digest of API, token endpoint and client ID, none of which is secret. What
   * one viewer sees may be hidden from another.
   */
  readonly viewer: string;
  /** Which API answers, the same in every process and for all its clients: a digest of its base URL. */
  readonly api: string;
  listMappings(serviceInstanceID: string, options: ListOptions): Promise<MappingList>;
  /**
   * `exists`: 409, a mapping with this key is there; list to learn whether it is the same.
   * @throws UnknownInstanceError for the API's own 404
   * @throws LostAnswerError where the create may have taken effect
   */
  createMapping(
    serviceInstanceID: string,
    mapping: NewInstanceMapping,
    options: WriteOptions,
  ): Promise<'created' | 'exists'>;
  /** `gone`: the API's own 404. */
  deleteMapping(
    serviceInstanceID: string,
    key: InstanceMappingKey,
    options: WriteOptions,
  ): Promise<'deleted' | 'gone'>;
  /** What its calls depend on. */
  readonly hosts: CalledHosts;
  /** What `resume` takes; absent where nothing can be resumed: with a client certificate, or without shared tokens. */
  readonly access?: RememberedAccess;
  /** Asks the token endpoint for a fresh token, whatever is cached. For diagnosis. */
  checkToken(options: CallOptions): Promise<TokenCheck>;
  /** Ends what belongs to these credentials alone. Calls after it throw. */
  close(): Promise<void>;
}

/** How a client spoke to HANA Cloud. Holds nothing secret: the token that goes with it is kept where all tokens are. */
export interface RememberedAccess {
  readonly credentialsID: string;
  readonly viewer: string;
  readonly baseUrl: string;
}

export interface TokenCheck {
  /** Seconds, as the token endpoint said; absent if it did not. */
  readonly expiresInSeconds?: number;
}

export interface HanaCloud {
  /**
   * Opens nothing yet.
   *
   * @param reserve of the reconcile that the client is for; its calls throw NotAdmittedError. Default: no limit
   * @throws EndpointRefusedError if `baseUrl` or `tokenUrl` names a refused address
   */
  connect(credentials: AdminCredentials, reserve?: Reserve): HanaCloudClient;
  /**
   * A client for credentials that cannot be read any more, as long as a token of theirs is in memory and has not
   * expired; undefined where there is none. It fetches no other: a call that would have to is refused (`transient`).
   */
  resume(access: RememberedAccess): HanaCloudClient | undefined;
  /**
   * The limit keys of a reconcile that is about to call these hosts: the API, or the token endpoint if no token of the
   * credentials is in memory.
   */
  limitKeysOf(hosts: CalledHosts): readonly LimitKey[];
  /** Ends shared connections and forgets all tokens. */
  close(): Promise<void>;
}

/** Of the tokens that are kept: about 10,000 of the usual 1.5 KiB, more than there are databases. */
const MAX_TOKEN_BYTES = 32 * 1024 * 1024;
/** Long enough for the connections to last from one poll of many mappings to the next. */
const KEEP_ALIVE_MS = 30_000;

export function createHanaCloud(options: HanaCloudOptions): HanaCloud {
  const { clock, random, metrics, limiter, callTimeoutMs = 10_000 } = options;
  const { maxCalls = 32, callsPerHost = 24 } = options;
  const {
    maxAnswerBytes = 2 * 1024 * 1024,
    connectTimeoutMs = 5000,
    allowPrivateEndpoints = false,
  } = options;
  const connectionOptions = {
    allowPrivateEndpoints,
    trustedCertificates: options.trustedCertificates ?? [],
    env: options.env ?? {},
    perOrigin: callsPerHost,
    connectTimeoutMs,
    keepAliveMs: KEEP_ALIVE_MS,
    lookup: options.lookup,
  };
  const call = createCaller({
    clock,
    random,
    metrics,
    ...(options.tracer ? { tracer: options.tracer } : {}),
    slots: createCallSlots({ clock, limiter, maxCalls, callsPerHost }),
    callTimeoutMs,
    maxAnswerBytes,
  });
  const { cacheTokens = true } = options;
  const limits = (holdsToken: boolean) => ({ callsPerHost, maxCalls, holdsToken });
  const newTokenSource = () => createTokenSource({ clock, random, maxBytes: MAX_TOKEN_BYTES });
  const sharedTokens = newTokenSource();
  const lists = createSharedLists({ clock, freshMs: options.listFreshMs ?? 5000 });
  const sharedConnections = openConnections(connectionOptions);
  const idOf = createCredentialsIDs();
  return {
    connect: (credentials, reserve = reserveNothing) => {
      if (!allowPrivateEndpoints) {
        assertPublicEndpoint(new URL(credentials.baseUrl), 'baseurl');
        assertPublicEndpoint(new URL(credentials.tokenUrl), 'uaa.url');
      }
      const { authentication, baseUrl, tokenUrl } = credentials;
      const own =
        authentication.method === 'x509' ? openConnections(connectionOptions, authentication) : undefined;
      const connections = own ?? sharedConnections;
      return createClient(options, {
        call,
        limits,
        access: { credentialsID: idOf(credentials), viewer: viewerOf(credentials), baseUrl },
        canResume: own === undefined && cacheTokens,
        secret: authentication.method === 'x509' ? authentication.key : authentication.clientSecret,
        tokenUrl,
        grantWith: (parts, signal) => grantToken({ ...parts, call, credentials }, signal),
        connections: options.readOnly ? readOnlyConnections(connections, tokenUrl) : connections,
        lists,
        tokens: cacheTokens ? sharedTokens : newTokenSource(),
        reserve,
        close: async () => own?.close(),
      });
    },
    resume: (access) => {
      if (!cacheTokens || options.readOnly || !sharedTokens.holds(access.credentialsID)) return undefined;
      return createClient(options, {
        call,
        limits,
        access,
        canResume: true,
        grantWith: () => Promise.reject(new ProviderError('transient', noCredentials)),
        connections: sharedConnections,
        lists,
        tokens: sharedTokens,
        reserve: reserveNothing,
        close: async () => undefined,
      });
    },
    limitKeysOf: (hosts) =>
      limitKeysOf(hosts, limits(cacheTokens && sharedTokens.holds(hosts.credentialsID))),
    close: async () => {
      lists.clear();
      sharedTokens.clear();
      await sharedConnections.close();
    },
  };
}

const noCredentials = 'the credentials cannot be read any more, and no token of theirs is left';

interface ClientParts {
  readonly call: Caller;
  readonly limits: (holdsToken: boolean) => HostLimits;
  readonly access: RememberedAccess;
  readonly canResume: boolean;
  /** What must never be told, beside the token. */
  readonly secret?: string;
  readonly tokenUrl?: string;
  readonly grantWith: (
    parts: Pick<GrantOptions, 'dispatcher' | 'answerContext'>,
    signal: AbortSignal,
  ) => Promise<Grant>;
  readonly connections: Connections;
  readonly lists: SharedLists;
  readonly tokens: TokenSource;
  readonly reserve: Reserve;
  readonly close: () => Promise<void>;
}

function createClient(options: HanaCloudOptions, parts: ClientParts): HanaCloudClient {
  const { clock, random, log, retryBackoffMs: backoffMs = 200 } = options;
  const { call: perform, access, connections, lists, tokens, tokenUrl = '' } = parts;
  const { credentialsID, viewer, baseUrl } = access;
  const secrets = new Set(parts.secret === undefined ? [] : [parts.secret]);
  const scrub = (text: string) => createScrubber(secrets)(text);
  const answerContext = (route: string) => ({ route, scrub, nowMs: clock.now() });
  const repeating = <T>(
    signal: AbortSignal,
    passes: (error: unknown) => boolean,
    attempt: () => Promise<T>,
  ) => retrying({ clock, random, log, backoffMs }, signal, passes, attempt);
  let closed = false;

  const grant = async (signal: AbortSignal): Promise<Grant> => {
    const dispatcher = () => connections.dispatcherFor(new URL(tokenUrl));
    try {
      return await repeating(signal, mayPass, () => parts.grantWith({ dispatcher, answerContext }, signal));
    } catch (error) {
      // To whoever needs the token, a grant without an answer is not an answer of theirs that was lost.
      if (error instanceof NoAnswerError && !error.aborted)
        throw new ProviderError(error.kind, error.message);
      throw error;
    }
  };

  const hosts = { credentialsID, baseUrl, tokenUrl };
  const sendWithToken = async (...[route, request, signal]: Parameters<Send>) => {
    if (closed) throw new ProviderError('bug', 'the client is closed');
    const token = await tokens.token(credentialsID, grant, signal);
    secrets.add(token);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const dispatcher = () => connections.dispatcherFor(request.url);
    const call = { route, request: { ...request, headers }, dispatcher };
    return { token, answer: await perform(call, signal) };
  };
  /** A 401 may only mean that the token was revoked before its time: it is fetched once more, and only once. */
  const send: Send = async (route, request, signal) => {
    const { token, answer } = await sendWithToken(route, request, signal);
    if (answer.status !== 401) return answer;
    tokens.drop(credentialsID, token);
    return (await sendWithToken(route, request, signal)).answer;
  };

  const admission = createAdmission({
    hosts,
    limits: parts.limits,
    reserve: parts.reserve,
    holdsToken: () => tokens.holds(credentialsID),
    fetchToken: (signal) => tokens.token(credentialsID, grant, signal),
  });
  const admit = async (doing: string, serviceInstanceID: string, signal: AbortSignal) => {
    try {
      if (closed) throw new ProviderError('bug', 'the client is closed');
      assertPathSegment(serviceInstanceID);
      await admission.admit(signal);
    } catch (error) {
      throw errorOfCall(error, { doing, signal, scrub });
    }
  };
  const api = createMappingsApi({ baseUrl, send, retrying: repeating, answerContext, scrub });

  return {
    credentialsID,
    viewer,
    api: apiOf(baseUrl),
    hosts,
    ...(parts.canResume ? { access } : {}),
    listMappings: (serviceInstanceID, { signal, isEnough }) => {
      const fetch = (signal: AbortSignal) => api.listMappings(serviceInstanceID, { signal });
      const doing = `list the mappings of instance ${serviceInstanceID}`;
      const admitList = () => admit(doing, serviceInstanceID, signal);
      return lists.list({ credentialsID, serviceInstanceID }, fetch, signal, isEnough, admitList);
    },
    createMapping: async (serviceInstanceID, mapping, options) => {
      const doing = `create a mapping of instance ${serviceInstanceID}`;
      await admit(doing, serviceInstanceID, options.signal);
      return lists.write(serviceInstanceID, () => api.createMapping(serviceInstanceID, mapping, options));
    },
    deleteMapping: async (serviceInstanceID, key, options) => {
      const doing = `delete a mapping of instance ${serviceInstanceID}`;
      await admit(doing, serviceInstanceID, options.signal);
      return lists.write(serviceInstanceID, () => api.deleteMapping(serviceInstanceID, key, options));
    },
    checkToken: async ({ signal }) => {
      try {
        const { expiresInSeconds } = await grant(signal);
        return expiresInSeconds === undefined ? {} : { expiresInSeconds };
      } catch (error) {
        throw errorOfCall(error, { doing: `get a token from ${tokenUrl}`, signal, scrub });
      }
    },
    close: async () => {
      closed = true;
      await parts.close();
    },
  };
}
