import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>;

export interface Listener {
  readonly port: number;
  /** TLS connections ever made. */
  connections(): number;
  /** Open ones. */
  openConnections(): number;
  stop(): Promise<void>;
}

/** A longer request is cut off: nothing in the contract comes near it. */
const MAX_REQUEST_BYTES = 1024 * 1024;

export interface ListenerPlace {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
}

/** An HTTPS server. */
export async function listen(tls: ServerOptions, place: ListenerPlace, handle: Handler): Promise<Listener> {
  const server = createServer(tls, (request, response) => {
    readBody(request)
      .then((body) => handle(request, response, body))
      .catch((error: unknown) => {
        // A client that disconnects is no error; anything else is an error of the simulator.
        if (request.destroyed && !request.complete) return;
        console.error('simulator:', error);
        response.destroy();
      });
  });
  // Longer than clients keep theirs, so that a connection never ends during a request.
  server.keepAliveTimeout = 120_000;
  let made = 0;
  const open = new Set<TLSSocket>();
  server.on('secureConnection', (socket) => {
    made++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.port, place.address, resolve);
  });
  return {
    port: portOf(server.address()),
    connections: () => made,
    openConnections: () => open.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
