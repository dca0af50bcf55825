/**
 * The HTTP or HTTPS server of metrics, probes, webhooks and REST. It limits connections, time and bodies for all of them: a
 * listener gets a request when its body is complete.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { followed } from '../../base/configuration/followed.ts';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import {
  CERTIFICATE_INTERVAL_MS,
  type CertificateFiles,
  followCertificate,
  readAuthorities,
  readCertificate,
  type ServingCertificate,
} from './certificate-files.ts';
import { createConnections, RefusedBodyError } from './connections.ts';
import { freeAddress, listen } from './listen.ts';
import type { Page } from './pages.ts';
import type { RequestListener } from './request-listener.ts';

export interface HttpServerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** `:8080` (every interface) or `host:port`; IPv6 hosts in brackets; port 0 takes any free one. */
  readonly address: string;
  /** The flag with the address, for errors. */
  readonly flag?: string;
  readonly listener: RequestListener;
  /** Serves HTTPS with these files, which may be replaced; default: HTTP. */
  readonly certificate?: CertificateFiles;
  /**
   * A file with certificates (PEM) of authorities, which may be replaced. Clients are then asked for a certificate; the listener decides,
   * by `authorized` of the socket, what one without a valid certificate may do.
   */
  readonly clientAuthorityFile?: string;
  /** The response to a request that did not reach the listener or failed in it; default: no body. */
  readonly failurePage?: (request: IncomingMessage, status: FailureStatus) => Page;
  /** Limit of a body, in bytes; default 0. */
  readonly maxBodyBytes?: number;
  /**
   * Limit of all bodies in memory together, in bytes; others wait, small ones the shortest time. A body counts until its response has
   * ended. Default: four of `maxBodyBytes`.
   */
  readonly maxBodiesBytes?: number;
  /** Default 256. Beyond it the connection that has waited longest without a complete request is closed. */
  readonly maxConnections?: number;
  /**
   * Sockets that listen at the address. Node accepts one connection of each in a turn of its event loop, which is long while there is much
   * to do. Linux shares connections among them; elsewhere there is one. Default 1.
   */
  readonly listeners?: number;
  /** Time for the headers of a request, and for a TLS handshake, in ms; default 5000. */
  readonly headersTimeoutMs?: number;
  /** Time for a request with its body, in ms; default 10000. */
  readonly requestTimeoutMs?: number;
}

/** The body is too large, the request failed, or there is no memory for the body now. */
export type FailureStatus = 413 | 500 | 503;

export interface HttpServer {
  /** `host:port` as bound, with the actual port for port 0. */
  readonly address: string;
  /** Accepts no more requests, and ends the connections of those in progress after 5 s, or when `signal` is aborted. */
  close(signal?: AbortSignal): Promise<void>;
}

/**
 * Longer than the 90 s for which API servers, and other clients in Go, keep an idle connection: a POST on one that the server is about
 * to close fails, and is not repeated.
 */
const KEEP_ALIVE_MS = 100_000;
/** Interval in which Node compares requests with their limits of time, in ms. */
const CHECK_INTERVAL_MS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;
/** As Node's HTTP server has them. */
const SOCKETS = { allowHalfOpen: true, noDelay: true };
/** Time that requests in progress have to end at the stop, in ms. */
const CLOSE_GRACE_MS = 5000;

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { clock, log, listener, certificate, failurePage, maxBodyBytes = 0 } = options;
  const { maxBodiesBytes = 4 * maxBodyBytes, maxConnections = 256 } = options;
  const { headersTimeoutMs = 5000, requestTimeoutMs = 10_000, listeners = 1 } = options;
  const connections = createConnections({ maxConnections, maxBodyBytes, maxBodiesBytes }, clock);
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    handshakeTimeout: headersTimeoutMs,
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      const rawBody = await connections.receive(request, response);
      await listener(Object.assign(request, { rawBody }), response);
      connections.answered(request, response);
    } catch (error) {
      if (error instanceof RefusedBodyError)
        refuse(response, error.status, failurePage?.(request, error.status));
      else if (!request.destroyed || !response.writableEnded) {
        log.info('a request failed', { path: request.url?.split('?', 1)[0], error: messageOf(error) });
        refuse(response, 500, failurePage?.(request, 500));
      }
    }
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void respond(request, response);
  const stopping = new AbortController();
  const server =
    certificate === undefined
      ? createServer(limits, onRequest)
      : await createTlsServer({ ...options, certificate, limits, onRequest, signal: stopping.signal });
  server.on('connection', (socket: Socket) => connections.opened(socket));
  const listening: NetServer[] = [server];
  let address: string;
  try {
    const { flag } = options;
    const shared = listeners > 1 && process.platform === 'linux';
    // A socket of another program could be shared.
    const free = shared ? await freeAddress(options.address, flag) : options.address;
    address = await listen(server, free, { flag, shared });
    while (shared && listening.length < listeners) {
      const further = createNetServer(SOCKETS, (socket) => void server.emit('connection', socket));
      await listen(further, address, { flag, shared });
      listening.push(further);
    }
  } catch (error) {
    stopping.abort();
    for (const each of listening) each.close();
    throw error;
  }
  return {
    address,
    close: async (signal) => {
      stopping.abort();
      const closed = listening.map((each) => new Promise<void>((resolve) => each.close(() => resolve())));
      connections.stop();
      const cut = () => server.closeAllConnections();
      const cancel = clock.after(CLOSE_GRACE_MS, cut);
      if (signal?.aborted) cut();
      signal?.addEventListener('abort', cut, { once: true });
      await Promise.all(closed);
      signal?.removeEventListener('abort', cut);
      cancel();
    },
  };
}

interface TlsServerOptions extends Pick<HttpServerOptions, 'clock' | 'log' | 'clientAuthorityFile'> {
  readonly certificate: CertificateFiles;
  readonly limits: ServerOptions & { readonly handshakeTimeout: number };
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly signal: AbortSignal;
}

/** Replaced files are used for new connections. */
async function createTlsServer(options: TlsServerOptions): Promise<Server> {
  const { certificate: files, clientAuthorityFile: path, limits, onRequest, clock, log, signal } = options;
  const [{ createServer: createHttpsServer }, current, authorities] = await Promise.all([
    import('node:https'),
    readCertificate(files),
    path === undefined ? undefined : readAuthorities(path),
  ]);
  const asked = path === undefined ? {} : { requestCert: true, rejectUnauthorized: false };
  const used = { ca: authorities, ...tlsOf(current) };
  const server = createHttpsServer({ ...limits, ...asked, ...used }, onRequest);
  const use = (changed: Partial<typeof used>) => {
    server.setSecureContext({ ...used, ...changed });
    Object.assign(used, changed);
  };
  const onChanged = (changed: ServingCertificate) => use(changed);
  followCertificate({ ...options, files, current, onChanged }, signal).catch((error: unknown) =>
    log.error('cannot follow the serving certificate', { error: messageOf(error) }),
  );
  if (path !== undefined && authorities !== undefined)
    void followed({
      ...{ clock, first: authorities, intervalMs: CERTIFICATE_INTERVAL_MS },
      read: () => readAuthorities(path),
      onChanged: (ca) => {
        use({ ca });
        log.info('authorities of clients reloaded', { file: path });
      },
      onFailed: (error) => log.error('cannot reload the authorities of clients', { error }),
    }).follow(signal);
  return server;
}

const tlsOf = (certificate: ServingCertificate) => ({ ...certificate, minVersion: 'TLSv1.2' as const });

function refuse(response: ServerResponse, status: number, page?: Page): void {
  if (response.headersSent) response.destroy(new ProviderError('bug', 'the response failed'));
  else if (page === undefined) response.writeHead(status, { connection: 'close' }).end();
  else {
    response.writeHead(page.status, { connection: 'close', 'content-type': page.contentType }).end(page.body);
  }
}
