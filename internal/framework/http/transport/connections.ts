import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ReadOnlyError } from '../../base/concurrency/fence.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { jsonEqual } from '../../base/json/json-value.ts';
import { guardedLookup } from './endpoint-guard.ts';
import { nameLookup } from './name-lookup.ts';
import { proxyFromEnv } from './proxy-env.ts';
import { publishConnection } from './send-request.ts';
import { checkServerCertificate } from './server-certificate.ts';

/** PEM texts; the certificate may be a chain that begins with the client's certificate. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

interface ConnectionOptions {
  readonly allowPrivateEndpoints: boolean;
  /** PEM certificates to trust in addition to Node's. */
  readonly trustedCertificates: readonly string[];
  /** The environment with HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Maximum of connections to one origin. */
  readonly perOrigin: number;
  readonly connectTimeoutMs: number;
  /** Keep-alive of an idle connection, in ms, unless the server sends a shorter one. */
  readonly keepAliveMs: number;
  /** Name resolution of direct connections; default: `nameLookup`. */
  readonly lookup?: LookupFunction | undefined;
}

/** Connections with one TLS identity: none, or one client certificate. */
export interface Connections {
  /**
   * The dispatcher for `url`: direct connections or a proxy.
   * @throws after `close`
   */
  dispatcherFor(url: URL): Dispatcher;
  /** Closes all connections at once and aborts requests in flight. */
  close(): Promise<void>;
}

/** Connections whose certificates are replaced in time: new ones have them, and those that are open end with their requests. */
interface RenewableConnections extends Connections {
  /** Shows another client certificate. */
  changeIdentity(identity: ClientCertificate): void;
  /** Trusts these PEM certificates in addition to Node's, in place of those before. */
  changeTrust(certificates: readonly string[]): void;
}

/**
 * Opens connections on demand.
 *
 * @param firstIdentity the client certificate; default: none, so that clients can share the connections
 */
export function openConnections(
  options: ConnectionOptions,
  firstIdentity?: ClientCertificate,
): RenewableConnections {
  let identity = firstIdentity;
  let trusted = options.trustedCertificates;
  let trust = trustOf(trusted);
  const timeout = options.connectTimeoutMs;
  const pooling = {
    connections: options.perOrigin,
    keepAliveTimeout: options.keepAliveMs,
    // A host of a tenant must not choose a longer time.
    keepAliveMaxTimeout: options.keepAliveMs,
    pipelining: 1,
    // With HTTP/1.1 it is known whether a request was sent, and a blocked connection delays one request only.
    allowH2: false,
    // The deadline of the call covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  // One context: otherwise every new connection would parse all trusted certificates again.
  const identified = () => createSecureContext({ ...trust, ...(identity && keyPairOf(identity)) });
  const openDirect = () => {
    const { allowPrivateEndpoints, lookup: resolve = nameLookup } = options;
    const lookup = allowPrivateEndpoints ? resolve : guardedLookup(resolve);
    const secureContext = identified();
    return new Agent({
      ...pooling,
      connect: buildConnector({
        ...{ secureContext, lookup, timeout, allowH2: false },
        checkServerIdentity: checkServerCertificate,
      }),
    });
  };
  const openProxied = (uri: string) =>
    new ProxyAgent({
      ...pooling,
      uri,
      connectTimeout: timeout,
      requestTls: { secureContext: identified(), checkServerIdentity: checkServerCertificate },
      proxyTls: { secureContext: createSecureContext(trust) },
      // For a proxy that accepts the connection and then does not respond to CONNECT.
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: timeout }),
    });

  const opened = new Map<string, Dispatcher>();
  let closed = false;
  const renew = () => {
    const former = [...opened.values()];
    opened.clear();
    for (const dispatcher of former) dispatcher.close().catch(() => undefined);
  };
  return {
    dispatcherFor: (url) => {
      if (closed) throw new ProviderError('transient', 'the connections are closed');
      publishConnection(url.origin, identity?.key);
      const proxy = proxyFromEnv(url, options.env);
      const key = proxy ?? 'direct';
      const dispatcher = opened.get(key) ?? (proxy === undefined ? openDirect() : openProxied(proxy));
      opened.set(key, dispatcher);
      return dispatcher;
    },
    changeIdentity: (next) => {
      if (next.certificate === identity?.certificate && next.key === identity.key) return;
      identity = next;
      renew();
    },
    changeTrust: (next) => {
      if (jsonEqual(next, trusted)) return;
      trusted = next;
      trust = trustOf(next);
      renew();
    },
    close: async () => {
      closed = true;
      const dispatchers = [...opened.values()];
      opened.clear();
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Setting `ca` replaces Node's own list instead of adding to it. */
function trustOf(trusted: readonly string[]): { ca?: string[] } {
  return trusted.length === 0 ? {} : { ca: [...getCACertificates('default'), ...trusted] };
}

function keyPairOf({ certificate, key }: ClientCertificate): { cert: string; key: string } {
  return { cert: certificate, key };
}

/**
 * Connections that refuse all requests except GET and the token grant, a POST to exactly this endpoint. A refused request
 * fails with ReadOnlyError before it gets a connection.
 *
 * @param tokenUrl empty without a grant
 */
export function readOnlyConnections(inner: Connections, tokenUrl: string): Connections {
  const token = URL.parse(tokenUrl);
  const guard: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isAllowed = options.method === 'GET' || (token !== null && isGrant(options, token));
    if (!isAllowed) throw refusal(options);
    return dispatch(options, handler);
  };
  return {
    dispatcherFor: (url) => inner.dispatcherFor(url).compose(guard),
    close: () => inner.close(),
  };
}

function isGrant({ method, origin, path, query }: Dispatcher.DispatchOptions, token: URL): boolean {
  return (
    method === 'POST' && String(origin) === token.origin && path === token.pathname && query === undefined
  );
}

function refusal({ method, origin, path }: Dispatcher.DispatchOptions): ReadOnlyError {
  return new ReadOnlyError(method, `${String(origin)}${path.split('?', 1)[0]}`);
}
