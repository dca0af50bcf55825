/**
 * An HTTP server on loopback with scripted responses and faults: for tests of what a real API server
 * does rarely, such as cutting a connection in the midst of a line.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ScriptedRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
}

/** One answer: `reply`, or anything that Node's response can do. */
export type Script = (request: ScriptedRequest, response: ServerResponse) => void;

export interface ScriptedServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly ScriptedRequest[];
  /** Connections that were opened so far. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  /** Answers the next requests in this order, each once, before the fallback. */
  next(...scripts: Script[]): void;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** @param fallback answers what no `next` script is left for */
export async function startScriptedServer(
  fallback: Script = reply(404, '404 page not found'),
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const scripts: Script[] = [];
  const sockets = new Map<Socket, number>();
  let connections = 0;
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request = {
        method: message.method ?? '',
        url: message.url ?? '',
        headers: message.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        connection: sockets.get(message.socket) ?? 0,
      };
      requests.push(request);
      (scripts.shift() ?? fallback)(request, response);
    });
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.set(socket, connections);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets.keys()) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    next: (...more) => scripts.push(...more),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

/** An answer with a body of JSON, or of text where it is a string. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script {
  return (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  };
}

/** A failure as API servers write it. */
export function refuse(
  code: number,
  reason: string,
  options: { message?: string; details?: object; headers?: Readonly<Record<string, string>> } = {},
): Script {
  const { message = reason, details, headers } = options;
  return reply(
    code,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details },
    headers,
  );
}

/** Ends the connection without an answer. */
export const hangUp: Script = (_request, response) => {
  response.socket?.destroy();
};

/** Never answers. */
export const hang: Script = () => undefined;
