import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ProviderError } from '../../base/errors/errors.ts';
import { guardedLookup } from './endpoint-guard.ts';
import { proxyFromEnv } from './proxy-env.ts';

/** A client certificate with its key, both PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface ConnectionOptions {
  readonly allowPrivateEndpoints: boolean;
  /** PEM certificates trusted beside those that Node trusts by default. */
  readonly trustedCertificates: readonly string[];
  /** The environment whose HTTPS_PROXY and NO_PROXY are followed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Connections to one origin at a time. */
  readonly perOrigin: number;
  readonly connectTimeoutMs: number;
  /** How long a connection is kept without use, in ms, unless the server says otherwise. */
  readonly keepAliveMs: number;
  /** Name resolution of direct connections; default the system's. */
  readonly lookup?: LookupFunction | undefined;
}

/** A set of connections under one TLS identity: none, or that of one client certificate. */
export interface Connections {
  /**
   * What sends requests to `url`: direct connections or a proxy's.
   * @throws after `close`
   */
  dispatcherFor(url: URL): Dispatcher;
  /** Ends all connections at once, requests in flight included. */
  close(): Promise<void>;
}

/**
 * Opens connections when they are needed.
 *
 * @param identity the client certificate; default: none, so that different clients may share the connections
 */
export function openConnections(options: ConnectionOptions, identity?: ClientCertificate): Connections {
  const trust = trustOf(options.trustedCertificates);
  const timeout = options.connectTimeoutMs;
  const pooling = {
    connections: options.perOrigin,
    keepAliveTimeout: options.keepAliveMs,
    pipelining: 1,
    // HTTP/1.1 shows whether a request was sent, and a connection that hangs delays one request only.
    allowH2: false,
    // The caller's deadline covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  // Made once: without it every new connection would parse all trusted certificates again.
  const identified = () => createSecureContext({ ...trust, ...(identity && keyPairOf(identity)) });
  const openDirect = () => {
    const lookup = options.allowPrivateEndpoints ? options.lookup : guardedLookup(options.lookup);
    const resolving = lookup === undefined ? {} : { lookup };
    const secureContext = identified();
    return new Agent({
      ...pooling,
      connect: buildConnector({ secureContext, ...resolving, timeout, allowH2: false }),
    });
  };
  const openProxied = (uri: string) =>
    new ProxyAgent({
      ...pooling,
      uri,
      connectTimeout: timeout,
      requestTls: { secureContext: identified() },
      proxyTls: { secureContext: createSecureContext(trust) },
      // For a proxy that takes the connection and then never says whether the tunnel stands.
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: timeout }),
    });

  const opened = new Map<string, Dispatcher>();
  let closed = false;
  return {
    dispatcherFor: (url) => {
      if (closed) throw new ProviderError('transient', 'the connections are closed');
      const proxy = proxyFromEnv(url, options.env);
      const key = proxy ?? 'direct';
      const dispatcher = opened.get(key) ?? (proxy === undefined ? openDirect() : openProxied(proxy));
      opened.set(key, dispatcher);
      return dispatcher;
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
