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
import type { Socket } from 'node:net';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { followCertificate, readCertificate, type ServingCertificate } from './certificate-files.ts';
import { createConnections, RefusedBodyError } from './connections.ts';
import { listen } from './listen.ts';

/** A request with its body. Libraries such as hono read `rawBody` in place of the stream. */
export type CompleteRequest = IncomingMessage & { readonly rawBody: Buffer };

/** Responds to a request. A rejection is logged, and answered with 500 or the end of the connection. */
export type RequestListener = (request: CompleteRequest, response: ServerResponse) => void | Promise<void>;

export interface HttpServerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** `:8080` (every interface) or `host:port`; IPv6 hosts in brackets; port 0 takes any free one. */
  readonly address: string;
  readonly listener: RequestListener;
  /** Serves HTTPS with `tls.crt` and `tls.key` of this folder, which may be replaced; default: HTTP. */
  readonly certificateFolder?: string;
  /** Limit of a body, in bytes; default 0. */
  readonly maxBodyBytes?: number;
  /** Limit of all bodies in memory together, in bytes; default: four of `maxBodyBytes`. */
  readonly maxBodiesBytes?: number;
  /** Default 256. Beyond it the connection that has waited longest without a complete request is closed. */
  readonly maxConnections?: number;
  /** Time for the headers of a request, and for a TLS handshake, in ms; default 5000. */
  readonly headersTimeoutMs?: number;
  /** Time for a request with its body, in ms; default 10000. */
  readonly requestTimeoutMs?: number;
}

export interface HttpServer {
  /** `host:port` as bound, with the actual port for port 0. */
  readonly address: string;
  /** Accepts no more requests, and ends the connections of those in progress after 5 s, or when `signal` is aborted. */
  close(signal?: AbortSignal): Promise<void>;
}

/** Interval in which Node compares requests with their limits of time, in ms. */
const CHECK_INTERVAL_MS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Time that requests in progress have to end at the stop, in ms. */
const CLOSE_GRACE_MS = 5000;

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { clock, log, listener, certificateFolder: folder, maxBodyBytes = 0 } = options;
  const { maxBodiesBytes = 4 * maxBodyBytes, maxConnections = 256 } = options;
  const { headersTimeoutMs = 5000, requestTimeoutMs = 10_000 } = options;
  const connections = createConnections({ maxConnections, maxBodyBytes, maxBodiesBytes });
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    handshakeTimeout: headersTimeoutMs,
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      const rawBody = await connections.receive(request, response);
      await listener(Object.assign(request, { rawBody }), response);
    } catch (error) {
      if (error instanceof RefusedBodyError) refuse(response, error.status);
      else if (!request.destroyed || !response.writableEnded) {
        log.info('a request failed', { path: request.url?.split('?', 1)[0], error: messageOf(error) });
        refuse(response, 500);
      }
    }
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void respond(request, response);
  const stopping = new AbortController();
  const server =
    folder === undefined
      ? createServer(limits, onRequest)
      : await createTlsServer({ ...options, folder, limits, onRequest, signal: stopping.signal });
  server.on('connection', (socket: Socket) => connections.opened(socket));
  let address: string;
  try {
    address = await listen(server, options.address);
  } catch (error) {
    stopping.abort();
    throw error;
  }
  return {
    address,
    close: async (signal) => {
      stopping.abort();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      connections.closeIdle();
      const cut = () => server.closeAllConnections();
      const cancel = clock.after(CLOSE_GRACE_MS, cut);
      if (signal?.aborted) cut();
      signal?.addEventListener('abort', cut, { once: true });
      await closed.promise;
      signal?.removeEventListener('abort', cut);
      cancel();
    },
  };
}

interface TlsServerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly folder: string;
  readonly limits: ServerOptions & { readonly handshakeTimeout: number };
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly signal: AbortSignal;
}

/** A replaced certificate is used for new connections. */
async function createTlsServer(options: TlsServerOptions): Promise<Server> {
  const { folder, limits, onRequest, log, signal } = options;
  const [{ createServer: createHttpsServer }, current] = await Promise.all([
    import('node:https'),
    readCertificate(folder),
  ]);
  const server = createHttpsServer({ ...limits, ...tlsOf(current) }, onRequest);
  const onChanged = (changed: ServingCertificate) => server.setSecureContext(tlsOf(changed));
  followCertificate({ ...options, current, onChanged }, signal).catch((error: unknown) =>
    log.error('cannot follow the serving certificate', { error: messageOf(error) }),
  );
  return server;
}

const tlsOf = (certificate: ServingCertificate) => ({ ...certificate, minVersion: 'TLSv1.2' as const });

function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) response.destroy(new ProviderError('bug', 'the response failed'));
  else response.writeHead(status, { connection: 'close' }).end();
}
