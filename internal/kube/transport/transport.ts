/**
 * The connections to one API server, shared by everybody who talks to it.
 *
 * HTTP/1.1 in two pools: a bounded one for calls, which keeps a burst from opening a socket for each, and an
 * unbounded one for watches, which hold theirs for minutes and must never make a call wait. Against a
 * kube-apiserver 1.36 on loopback HTTP/2 cost the same CPU for each request and gained less than a fifth in
 * throughput; it would put all watches and calls behind one socket's fate.
 */

import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ProviderError } from '../../base/errors/errors.ts';
import { trimTrailing } from '../../base/text/text.ts';
import { proxyFromEnv } from '../../http/transport/proxy-env.ts';
import { OversizedResponseError, sendRequest } from '../../http/transport/send-request.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-error.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query, without the prefix of the server's URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** An answer, read to its end. */
export interface TransportResponse {
  readonly status: number;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  readonly body: string;
}

/** An answer whose body is still to come. */
export interface OpenResponse extends Omit<TransportResponse, 'body'> {
  /** Ends with the answer; must be read to its end or returned from early. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** `host:port`, for metrics and messages. */
  readonly host: string;
  /**
   * Rejects with Node's or undici's own error if no answer comes, with the signal's reason if that aborts, and with
   * ResponseTooLargeError if its body is longer than `maxBytes`.
   */
  call(request: TransportRequest, maxBytes: number): Promise<TransportResponse>;
  /** For watches. Rejects as `call` does until the answer begins; its body fails the same way. */
  open(request: TransportRequest): Promise<OpenResponse>;
  /** Cuts all connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly config: ClusterConfig;
  /** Where proxies are looked up; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Calls in flight at most; further ones wait. Default 32. */
  readonly connections?: number;
  /** For a TCP and TLS handshake, in ms; default 5000. */
  readonly connectTimeoutMs?: number;
}

/** Below the 90 s after which Go servers close idle connections, or requests would run into the close. */
const KEEP_ALIVE_MS = 60_000;

/** Earlier than the usual 60 s of load balancers, so that they do not forget a quiet watch. */
const TCP_KEEP_ALIVE_MS = 30_000;

interface Lanes {
  readonly credentials: Credentials;
  readonly call: Dispatcher;
  readonly watch: Dispatcher;
}

export function createTransport(options: TransportOptions): Transport {
  const { config, env = process.env } = options;
  const url = new URL(config.server);
  const prefix = trimTrailing(url.pathname, '/');
  const proxy = proxyOf(config, env);
  let lanes: Lanes | undefined;
  const open = new Set<Dispatcher>();

  const lanesFor = (credentials: Credentials): Lanes => {
    if (lanes && sameTls(lanes.credentials, credentials)) return lanes;
    const tls = { ...tlsOptions(config, credentials), timeout: options.connectTimeoutMs ?? 5000 };
    const old = lanes;
    lanes = {
      credentials,
      call: createDispatcher(url, tls, proxy, options.connections ?? 32),
      watch: createDispatcher(url, tls, proxy, null),
    };
    open.add(lanes.call).add(lanes.watch);
    // What is in flight ends by itself: watches within minutes.
    for (const dispatcher of old ? [old.call, old.watch] : []) {
      void dispatcher.close().finally(() => open.delete(dispatcher));
    }
    return lanes;
  };

  const lanesOf = async ({ signal }: TransportRequest): Promise<Lanes> => {
    const credentials = await config.credentials();
    signal.throwIfAborted();
    // A token may be newer than the connections that it goes over.
    return { ...lanesFor(credentials), credentials };
  };

  return {
    host: url.host,
    call: async (request, maxBytes) => {
      const { credentials, call } = await lanesOf(request);
      const { method, path, body, signal } = request;
      const result = await sendRequest(
        call,
        {
          method,
          url: { origin: url.origin, pathname: prefix + path, search: '' },
          headers: { ...request.headers, ...credentials.headers },
          ...(body === undefined ? {} : { body }),
        },
        maxBytes,
        signal,
      );
      if ('response' in result) {
        const { status, headers, body } = result.response;
        return { status, header: (name) => headers[name], body };
      }
      const { error } = result.noResponse;
      throw error instanceof OversizedResponseError ? new ResponseTooLargeError(error.message) : error;
    },
    open: async (request) => {
      const { credentials, watch } = await lanesOf(request);
      const { statusCode, headers, body } = await watch.request({
        origin: url.origin,
        method: request.method,
        path: prefix + request.path,
        headers: { ...request.headers, ...credentials.headers },
        body: request.body ?? null,
        signal: request.signal,
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

/** A proxy of the kubeconfig goes before those of the environment, as in client-go. */
function proxyOf(
  config: ClusterConfig,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const proxy = config.proxyUrl ?? proxyFromEnv(new URL(config.server), env);
  if (proxy === undefined) return undefined;
  if (/^https?:\/\//i.test(proxy) && URL.canParse(proxy)) return proxy;
  if (config.proxyUrl !== undefined) throw new KubeconfigError('proxy');
  const { host } = new URL(config.server);
  throw new ProviderError(
    'terminal',
    `cannot connect to ${host}: the proxy of the environment is neither http nor https`,
  );
}

function tlsOptions(config: ClusterConfig, { ca, cert, key }: Credentials): buildConnector.BuildOptions {
  return {
    // Made once for all connections: otherwise each would parse the certificates again, and keep its own of each.
    secureContext: createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    }),
    ...(config.tlsServerName === undefined ? {} : serverName(config.tlsServerName)),
    ...(config.skipTlsVerify ? { rejectUnauthorized: false } : {}),
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    allowH2: false,
  };
}

/** An IP address is no name for SNI (RFC 6066), only for the certificate. */
function serverName(name: string): buildConnector.BuildOptions {
  if (isIP(name) === 0) return { servername: name };
  return { checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate) };
}

function createDispatcher(
  url: URL,
  tls: buildConnector.BuildOptions & { readonly timeout: number },
  proxy: string | undefined,
  connections: number | null,
): Dispatcher {
  // The caller's deadline covers headers and body; a watch may be quiet for long.
  const patience = { headersTimeout: 0, bodyTimeout: 0 };
  const common = { connections, allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS, ...patience };
  if (proxy === undefined) return new Pool(url.origin, { ...common, connect: buildConnector(tls) });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: tls,
    proxyTls: { timeout: tls.timeout, allowH2: false },
    connectTimeout: tls.timeout,
  });
}

function sameTls(a: Credentials, b: Credentials): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}
