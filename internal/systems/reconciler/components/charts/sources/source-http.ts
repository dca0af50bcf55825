import type { Readable } from 'node:stream';
import { createLruCache } from '../../../../../framework/base/collections/lru-cache.ts';
import {
  compoundKey,
  type Deps,
  type ErrorKind,
  messageOf,
  ProviderError,
  redact,
  ThrottledError,
  withDeadline,
} from '../../../../../framework/base/index.ts';
import { EndpointRefusedError } from '../../../../../framework/http/index.ts';
import {
  type CircuitBreaker,
  createCircuitBreaker,
} from '../../../../../framework/http/limits/circuit-breaker.ts';
import { requestedPause } from '../../../../../framework/http/retry/quota-headers.ts';
import type { Connections } from '../../../../../framework/http/transport/connections.ts';
import { refusalOf } from '../../../../../framework/http/transport/endpoint-guard.ts';
import { describeNetworkFailure } from '../../../../../framework/http/transport/network-failure.ts';
import { USER_AGENT } from '../../../../../framework/http/transport/send-request.ts';
import { refused, SourceError, shownUrl } from './chart-source.ts';

export interface SourceHttpRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Sent to its own origin alone, whatever origin the URL or a redirect names. */
  readonly credential?: HostCredential | undefined;
  readonly maxBytes: number;
  /** Statuses that are returned, besides 200. */
  readonly accept?: readonly number[];
}

export interface SourceHttpResponse {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read to its end, or left by `break`; throws beyond `maxBytes`. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** HTTP requests to hosts that users choose: each address is checked, also those of redirects. */
export interface SourceHttp {
  /**
   * @throws SourceError for another status than 200 and those of `accept`, and for network failures
   * @throws EndpointRefusedError if the address, or that of a redirect, is refused
   * @throws ThrottledError while the circuit of the host is open
   */
  readonly send: (request: RequestOfTenant, signal: AbortSignal) => Promise<SourceHttpResponse>;
}

export interface RequestOfTenant extends SourceHttpRequest {
  /** Who asks: a host that is slow for it, e.g. by a file of its own, is not slow for others. `''`: the program itself. */
  readonly tenant: string;
}

/** As `SourceHttp`, for the requests of one tenant. The compiler refuses a `SourceHttp` in its place, whose requests need one. */
export interface TenantHttp {
  readonly send: (request: SourceHttpRequest, signal: AbortSignal) => Promise<SourceHttpResponse>;
}

interface SourceHttpOptions extends Pick<Deps, 'clock' | 'random'> {
  /** Also refuses names that resolve to a refused address. */
  readonly connections: Connections;
  /** Also permits http. */
  readonly allowPrivateEndpoints: boolean;
  /** Until the headers of a response are there, in ms. Default 30 s. */
  readonly headersTimeoutMs?: number;
}

/** The requests of a tenant. */
export const requestsOf = (tenant: string, http: SourceHttp): TenantHttp => ({
  send: (request, signal) => http.send({ ...request, tenant }, signal),
});

const MAX_REDIRECTS = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
/** Memory for the circuit breakers of some 300 hosts, of 1500 bytes each. */
const BREAKER_BYTES = 1500;
const MAX_BREAKERS_BYTES = 512 * 1024;

export function createSourceHttp(options: SourceHttpOptions): SourceHttp {
  const { clock, random, connections, allowPrivateEndpoints, headersTimeoutMs = 30_000 } = options;
  const breakers = createLruCache<string, CircuitBreaker>({
    maxBytes: MAX_BREAKERS_BYTES,
    bytesOf: () => BREAKER_BYTES,
  });
  const breakerOf = ({ origin, host }: URL, tenant: string): CircuitBreaker => {
    const key = compoundKey(origin, tenant);
    const known = breakers.get(key);
    if (known) return known;
    const created = createCircuitBreaker({ clock, random, name: `host ${host}`, threshold: 3 });
    breakers.set(key, created);
    return created;
  };

  const sendOnce = async (what: RequestOfTenant, signal: AbortSignal) => {
    const { url, method = 'GET', headers = {}, body, credential } = what;
    if (!allowPrivateEndpoints) {
      const refusal = refusalOf(url);
      if (refusal !== undefined) throw new EndpointRefusedError(`${shownUrl(url)} is refused: ${refusal}`);
    }
    const attempt = breakerOf(url, what.tenant).enter();
    using deadline = withDeadline(clock, headersTimeoutMs, `waiting for ${url.host}`, signal);
    // The deadline ends with the headers; the signal also ends the body.
    const aborting = new AbortController();
    const abort = () => aborting.abort(deadline.signal.reason);
    const abortBody = () => aborting.abort(signal.reason);
    deadline.signal.addEventListener('abort', abort, { once: true });
    signal.addEventListener('abort', abortBody, { once: true });
    try {
      const { origin, pathname, search } = urlWithoutSecrets(url);
      const response = await connections.dispatcherFor(url).request({
        origin,
        path: `${pathname}${search}`,
        method,
        headers: {
          'user-agent': USER_AGENT,
          ...headers,
          ...(credential?.origin === origin ? { authorization: credential.authorization } : {}),
        },
        body: body ?? null,
        signal: aborting.signal,
      });
      attempt.succeeded();
      return response;
    } catch (error) {
      if (deadline.signal.aborted && !signal.aborted) attempt.failedSlowly();
      else attempt.inconclusive();
      signal.throwIfAborted();
      throw errorOfNetwork(url, error);
    } finally {
      deadline.signal.removeEventListener('abort', abort);
    }
  };

  return {
    send: async (what, signal) => {
      let next = what;
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const response = await sendOnce(next, signal);
        const status = response.statusCode;
        const headers = flatten(response.headers);
        if (redirects.includes(status) && headers.location !== undefined) {
          discard(response.body);
          next = redirected(next, headers.location, status);
          continue;
        }
        if (status !== 200 && !(what.accept ?? []).includes(status)) {
          discard(response.body);
          throw errorOfStatus(next.url, status, headers, clock.now());
        }
        const body = readable(next.url, response.body, what.maxBytes, signal);
        return { url: next.url, status, headers, body };
      }
      throw new SourceError('terminal', `${shownUrl(what.url)} redirects more than ${MAX_REDIRECTS} times`);
    },
  };
}

/** A response that is not read ends its connection, which undici reports as an error of the body. */
function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

async function* readable(url: URL, body: AsyncIterable<Uint8Array>, maxBytes: number, signal: AbortSignal) {
  try {
    yield* limitBytes(body, maxBytes, `the response of ${url.host}`);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError ? error : errorOfNetwork(url, error);
  }
}

/** A redirected POST stays one with 307 and 308 only, as browsers do. */
function redirected(from: RequestOfTenant, location: string, status: number): RequestOfTenant {
  const url = URL.parse(location, from.url.href);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new SourceError('terminal', `${shownUrl(from.url)} redirects to no address of HTTP`);
  }
  if (from.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new EndpointRefusedError(`${shownUrl(from.url)} redirects to ${shownUrl(url)}, which is not https`);
  }
  const { body, method, ...rest } = from;
  return {
    ...rest,
    url,
    ...(status === 307 || status === 308 ? { ...(method && { method }), ...(body && { body }) } : {}),
  };
}

/** A user in the URL becomes an `authorization` header where it is meant; undici refuses it in the URL. */
function urlWithoutSecrets(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  return bare;
}

function errorOfNetwork(url: URL, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const refusal = error instanceof Error ? error.cause : undefined;
  if (refusal instanceof EndpointRefusedError) return refusal;
  const text = redact(describeNetworkFailure(error).text || messageOf(error));
  return new SourceError('transient', `no complete response of ${shownUrl(url)}: ${text}`);
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** When a 429 or 503 has no usable `Retry-After`, in ms. */
const DEFAULT_PAUSE_MS = 10_000;

/** The error for a response with another status than the expected ones. Its body is not quoted. */
function errorOfStatus(
  url: URL,
  status: number,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): ProviderError {
  const text = `${shownUrl(url)} answered ${status}`;
  const pauseMs = requestedPause({ status, headers }, nowMs, DEFAULT_PAUSE_MS);
  if (pauseMs !== undefined) return new ThrottledError(text, pauseMs);
  return new SourceError(kindOf(status), text);
}

function kindOf(status: number): ErrorKind {
  if (status === 404 || status === 410) return 'not-found';
  if (status === 401 || status === 403) return 'auth';
  return status >= 500 || status === 408 ? 'transient' : 'terminal';
}

/** An `authorization` header and the only origin that the transport sends it to. */
export interface HostCredential {
  readonly origin: string;
  readonly authorization: string;
}

export const bearerFor = ({ origin }: URL, token: string): HostCredential => ({
  origin,
  authorization: `Bearer ${token}`,
});

export const basicFor = ({ origin }: URL, user: string, password: string): HostCredential => ({
  origin,
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/**
 * The same chunks, up to `maxBytes` in total.
 *
 * @param what begins the message: `the archive is larger than …`
 * @throws SourceError beyond the limit
 */
export async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw refused(`${what} is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** All chunks in one array; they were limited before. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
