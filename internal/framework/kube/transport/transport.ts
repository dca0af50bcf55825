/**
 * The connections to one API server, shared by all its clients.
 *
 * HTTP/1.1 in two pools: a bounded one for calls, and an unbounded one for urgent calls and for watches, which keep their connection for
 * minutes and must not block calls. HTTP/2 needs the same CPU for each request (measured with kube-apiserver 1.36 on loopback,
 * throughput +20 % at most), and all watches and calls would depend on one socket.
 */

import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { trimTrailing } from '../../base/text/text.ts';
import { EndpointRefusedError, guardedLookup, refusalOf } from '../../http/transport/endpoint-guard.ts';
import { nameLookup } from '../../http/transport/name-lookup.ts';
import { proxyFromEnv } from '../../http/transport/proxy-env.ts';
import {
  NoMemoryError,
  OversizedResponseError,
  publishConnection,
  sendRequest,
} from '../../http/transport/send-request.ts';
import { checkServerCertificate } from '../../http/transport/server-certificate.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { KubeconfigError, optional } from '../config/kubeconfig-document.ts';
import { parseUntrustedKubeconfig } from '../config/untrusted-kubeconfig.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query, without the prefix of the server's URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The call does not wait until others have ended. Default false. */
  readonly isUrgent?: boolean | undefined;
}

/** A response that was read to its end. */
export interface TransportResponse {
  readonly status: number;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  readonly body: string;
}

/** A response whose body is a stream. */
export interface OpenResponse extends Omit<TransportResponse, 'body'> {
  /** Must be read to its end or returned from early. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** `host:port`, for metrics and messages. */
  readonly host: string;
  /**
   * @throws errors of Node and undici if there is no response, the signal's reason, and ResponseTooLargeError if the body
   * is longer than `maxBytes`
   */
  call(request: TransportRequest, maxBytes: number): Promise<TransportResponse>;
  /** For watches. Throws the errors of `call`; so does the body. */
  open(request: TransportRequest): Promise<OpenResponse>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly config: ClusterConfig;
  /** Environment with the proxies; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Maximum of calls in flight; further ones wait. Default 32. */
  readonly connections?: number;
  /** A connection without a call is closed after this, whatever longer time the server offers, in ms. Default: 60 s. */
  readonly keepAliveMs?: number;
  /** What is received of an open response before it is read, in bytes. Default: 64 KiB. */
  readonly watchBufferBytes?: number;
  /** Of responses until they are read; default: no limit but that of each. */
  readonly memory?: ByteBudget | undefined;
  /** For a TCP and TLS handshake, in ms; default 5000. */
  readonly connectTimeoutMs?: number;
  /** Name resolution of direct connections; default: the system's, or `nameLookup` if the config is foreign. */
  readonly lookup?: LookupFunction;
}

/** Below the 90 s after which Go servers close idle connections. */
const KEEP_ALIVE_MS = 60_000;

/** Below the usual idle timeout of load balancers, 60 s, so that they do not close a watch without events. */
const TCP_KEEP_ALIVE_MS = 30_000;

interface Pools {
  readonly credentials: Credentials;
  readonly call: Dispatcher;
  /** Opened by its first use: many clusters are not watched. */
  unbounded(): Dispatcher;
  /** Requests in flight end by themselves, watches within minutes. */
  retire(): void;
}

export function createTransport(options: TransportOptions): Transport {
  const { config, env = process.env, keepAliveMs = KEEP_ALIVE_MS, watchBufferBytes } = options;
  const { lookup = config.isForeign ? nameLookup : undefined } = options;
  const url = new URL(config.server);
  const prefix = trimTrailing(url.pathname, '/');
  const proxy = proxyOf(config, env);
  let pools: Pools | undefined;
  const open = new Set<Dispatcher>();

  const poolsFor = (credentials: Credentials): Pools => {
    if (pools && sameTls(pools.credentials, credentials)) return pools;
    const tls = {
      ...tlsOptions(config, credentials),
      ...(lookup === undefined ? {} : { lookup }),
      timeout: options.connectTimeoutMs ?? 5000,
    };
    pools?.retire();
    const opened: Dispatcher[] = [];
    const openPool = (connections: number | null) => {
      const dispatcher = createDispatcher(url, tls, proxy, { connections, keepAliveMs });
      open.add(dispatcher);
      opened.push(dispatcher);
      return dispatcher;
    };
    let unbounded: Dispatcher | undefined;
    pools = {
      credentials,
      call: openPool(options.connections ?? 32),
      unbounded: () => {
        unbounded ??= openPool(null);
        return unbounded;
      },
      retire: () => {
        for (const dispatcher of opened) void dispatcher.close().finally(() => open.delete(dispatcher));
      },
    };
    return pools;
  };

  const poolsOf = async ({ signal }: TransportRequest): Promise<Pools> => {
    const credentials = await config.credentials();
    signal.throwIfAborted();
    publishConnection(url.origin, credentials.key?.toString());
    // The token may be newer than the connections.
    return { ...poolsFor(credentials), credentials };
  };

  return {
    host: url.host,
    call: async (request, maxBytes) => {
      const { credentials, call, unbounded } = await poolsOf(request);
      const { method, path, body, signal, isUrgent = false } = request;
      const result = await sendRequest(
        isUrgent ? unbounded() : call,
        {
          method,
          url: { origin: url.origin, pathname: prefix + path, search: '' },
          headers: { ...request.headers, ...credentials.headers },
          ...(body === undefined ? {} : { body }),
        },
        maxBytes,
        signal,
        options.memory,
      );
      if ('response' in result) {
        const { status, headers, body } = result.response;
        return { status, header: (name) => headers[name], body };
      }
      const { error } = result.noResponse;
      if (error instanceof OversizedResponseError) throw new ResponseTooLargeError(error.message);
      throw error instanceof NoMemoryError ? new ProviderError('transient', error.message) : error;
    },
    open: async (request) => {
      const { credentials, unbounded } = await poolsOf(request);
      const { statusCode, headers, body } = await unbounded().request({
        origin: url.origin,
        method: request.method,
        path: prefix + request.path,
        headers: { ...request.headers, ...credentials.headers },
        body: request.body ?? null,
        signal: request.signal,
        ...(watchBufferBytes === undefined ? {} : { highWaterMark: watchBufferBytes }),
      });
      return {
        status: statusCode,
        header: (name) => {
          const value = headers[name];
          return Array.isArray(value) ? value[0] : value;
        },
        body,
      };
    },
    close: async () => {
      await Promise.all([...open].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** As in client-go, a proxy of the kubeconfig has precedence over the environment. */
function proxyOf(
  config: ClusterConfig,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const proxy = config.proxyUrl ?? proxyFromEnv(new URL(config.server), env);
  if (proxy === undefined) return undefined;
  if (/^https?:\/\//i.test(proxy) && URL.parse(proxy) !== null) return proxy;
  if (config.proxyUrl !== undefined) throw new KubeconfigError('proxy');
  const { host } = new URL(config.server);
  throw new ProviderError(
    'terminal',
    `cannot connect to ${host}: the proxy of the environment is neither http nor https`,
  );
}

function tlsOptions(
  config: ClusterConfig,
  { ca, cert, key, secureContext }: Credentials,
): buildConnector.BuildOptions {
  return {
    // One context for all connections: otherwise each would parse and keep all certificates.
    secureContext:
      secureContext ??
      createSecureContext({ ...optional('ca', ca), ...optional('cert', cert), ...optional('key', key) }),
    checkServerIdentity: checkServerCertificate,
    ...(config.tlsServerName === undefined ? {} : serverName(config.tlsServerName)),
    ...(config.skipTlsVerify ? { rejectUnauthorized: false } : {}),
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    allowH2: false,
  };
}

/** An IP address must not be sent as SNI (RFC 6066). */
function serverName(name: string): buildConnector.BuildOptions {
  if (isIP(name) === 0) return { servername: name };
  return { checkServerIdentity: (_host, certificate) => checkServerCertificate(name, certificate) };
}

function createDispatcher(
  url: URL,
  tls: buildConnector.BuildOptions & { readonly timeout: number },
  proxy: string | undefined,
  { connections, keepAliveMs }: { connections: number | null; keepAliveMs: number },
): Dispatcher {
  // The deadline of the call covers headers and body; a watch may have no events for long.
  const patience = { headersTimeout: 0, bodyTimeout: 0 };
  const keepAlive = { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs };
  const common = { connections, allowH2: false, ...keepAlive, ...patience };
  if (proxy === undefined) return new Pool(url.origin, { ...common, connect: buildConnector(tls) });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: tls,
    proxyTls: { timeout: tls.timeout, allowH2: false },
    connectTimeout: tls.timeout,
    // For a proxy that accepts the connection and then does not respond to CONNECT.
    clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: tls.timeout }),
  });
}

function sameTls(a: Credentials, b: Credentials): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}

/**
 * The kubeconfig of a cluster that belongs to others, as options of a transport. Loopback and link-local addresses are refused, also
 * those that a name leads to; private ones are accepted.
 *
 * @param allowPrivateEndpoints accepts every address
 * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
 */
export function permittedKubeconfig(
  kubeconfig: string,
  allowPrivateEndpoints: boolean,
): Pick<TransportOptions, 'config' | 'lookup'> {
  const config = parseUntrustedKubeconfig(kubeconfig);
  if (allowPrivateEndpoints) return { config };
  // A proxy resolves names itself, and may be anything.
  if (config.proxyUrl !== undefined) throw new KubeconfigError('proxy');
  const refusal = refusalOf(new URL(config.server), 'private');
  if (refusal === undefined) return { config, lookup: guardedLookup(undefined, 'private') };
  throw new EndpointRefusedError(
    `the server of the kubeconfig is refused: ${refusal} (--allow-private-endpoints permits it)`,
  );
}
