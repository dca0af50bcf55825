/**
 * The connections of a server and the bodies they send. What is too much is taken from the client that has been slow for
 * the longest time, so that idle and slow clients never cost a request that is complete, such as a review of an API server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Limit of a body, in bytes. */
  readonly maxBodyBytes: number;
  /** Limit of all bodies in memory together, in bytes. */
  readonly maxBodiesBytes: number;
}

/** The body is too large, or there is no memory for it now. */
export class RefusedBodyError extends Error {
  readonly status: 413 | 503;
  constructor(status: 413 | 503) {
    super(`body refused with ${status}`);
    this.status = status;
  }
}

export interface Connections {
  opened(socket: Socket): void;
  /**
   * Reads the body of a request and holds its memory until the response has ended.
   *
   * @throws RefusedBodyError
   * @throws the error of the connection if it ends
   */
  receive(request: IncomingMessage, response: ServerResponse): Promise<Buffer>;
  /** Closes the connections without a request. */
  closeIdle(): void;
}

interface Connection {
  readonly socket: Socket;
  /** Requests whose body is complete and that have no complete response. */
  serving: number;
  /** Requests whose body is not complete. */
  receiving: number;
}

/** A body in memory. */
interface Body {
  readonly request: IncomingMessage;
  bytes: number;
  isComplete: boolean;
}

export function createConnections(limits: ConnectionLimits): Connections {
  const { maxConnections, maxBodyBytes, maxBodiesBytes } = limits;
  /** In the order of their opening or last complete request. */
  const connections = new Map<string, Connection>();
  /** In the order of their begin. */
  const bodies = new Set<Body>();
  let heldBytes = 0;

  const release = (body: Body) => {
    if (bodies.delete(body)) heldBytes -= body.bytes;
  };
  /** Frees memory by ending the slowest body. */
  const makeRoom = (own: Body) => {
    while (heldBytes > maxBodiesBytes) {
      const slowest = [...bodies].find(({ isComplete }) => !isComplete) ?? own;
      release(slowest);
      if (slowest === own) throw new RefusedBodyError(503);
      slowest.request.destroy();
    }
  };
  const makeRoomForConnection = () => {
    if (connections.size <= maxConnections) return;
    const idle = [...connections.values()].find(({ serving }) => serving === 0);
    idle?.socket.destroy();
  };
  return {
    opened: (socket) => {
      const id = idOf(socket);
      const connection = { socket, serving: 0, receiving: 0 };
      connections.set(id, connection);
      socket.once('close', () => {
        if (connections.get(id) === connection) connections.delete(id);
      });
      makeRoomForConnection();
    },
    receive: async (request, response) => {
      const id = idOf(request.socket);
      const connection = connections.get(id);
      const body: Body = { request, bytes: 0, isComplete: false };
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw new RefusedBodyError(413);
      bodies.add(body);
      if (connection) connection.receiving++;
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) {
          body.bytes += chunk.length;
          heldBytes += chunk.length;
          if (body.bytes > maxBodyBytes) throw new RefusedBodyError(413);
          makeRoom(body);
          chunks.push(chunk);
        }
        body.isComplete = true;
        if (connection) {
          connection.serving++;
          response.once('close', () => {
            connection.serving--;
            // The next one to be closed is the one that has been idle for longest.
            if (connections.delete(id)) connections.set(id, connection);
          });
        }
        response.once('close', () => release(body));
        return Buffer.concat(chunks);
      } catch (error) {
        release(body);
        throw error;
      } finally {
        if (connection) connection.receiving--;
      }
    },
    closeIdle: () => {
      for (const { socket, serving, receiving } of connections.values())
        if (serving + receiving === 0) socket.destroy();
    },
  };
}

/** Of both the TCP socket and the TLS socket on it. */
const idOf = ({ remoteAddress, remotePort, remoteFamily }: Socket): string =>
  `${remoteFamily} ${remoteAddress} ${remotePort}`;
