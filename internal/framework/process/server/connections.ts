/**
 * The connections of a server and the bodies they send. A body is read when there is memory for all of it, small ones first, and
 * a part of the memory is for small ones alone: large requests wait, and delay no small one, such as the review of an ordinary object.
 * What is too much is taken from the client that has been slow for the longest time, so that idle and slow clients never cost a
 * request that is complete. Responses that their clients do not read have a limit in the same way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/time/clock.ts';

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
  /** The response is written as far as its client reads it; the rest is in memory. */
  answered(request: IncomingMessage, response: ServerResponse): void;
  /** Closes the connections without a request, and each other one after its last response. */
  stop(): void;
}

interface Connection {
  readonly socket: Socket;
  /** Requests whose body is complete and that have no complete response. */
  serving: number;
  /** Requests whose body is not complete. */
  receiving: number;
}

/** A body in memory, or one that waits for memory. */
interface Body {
  readonly request: IncomingMessage;
  /** Memory that it has or waits for: what its length says, or the limit of a body; once it is complete, its length. */
  bytes: number;
  /** When it got its memory, by the monotonic clock. */
  since: number;
  isComplete: boolean;
  /** Gives it its memory. */
  readonly admit: () => void;
}

/** Bodies up to this part of the memory are small. Large ones leave a quarter of the memory to them. */
const SMALL_PART = 1 / 64;
const LARGE_PART = 3 / 4;
/** A body that is not complete after this time, or a response that was not read, gives way to others, in ms. */
const SLOW_MS = 1000;
/** Requests of one connection that have no complete response. Clients send the next one after the response, but need not. */
const MAX_PIPELINED = 8;
/** Of all responses that were not read yet, in bytes. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** A response that its client has not read yet. */
interface Unread {
  readonly socket: Socket;
  readonly bytes: number;
  readonly since: number;
}

export function createConnections(limits: ConnectionLimits, clock: Clock): Connections {
  const { maxConnections, maxBodyBytes, maxBodiesBytes } = limits;
  const maxSmallBytes = maxBodiesBytes * SMALL_PART;
  // One of any size fits.
  const maxLargeBytes = Math.max(maxBodyBytes, maxBodiesBytes * LARGE_PART);
  /** In the order of their opening or last complete request. */
  const connections = new Map<string, Connection>();
  /** In the order in which they got their memory. */
  const bodies = new Set<Body>();
  /** The smallest first, and those of one size in their order. */
  const waiting: Body[] = [];
  const held = { all: 0, large: 0 };
  let cancelSlow: (() => void) | undefined;
  /** In the order in which they were written. */
  const unread = new Set<Unread>();
  let unreadBytes = 0;
  let cancelUnread: (() => void) | undefined;
  let isStopped = false;

  const isLarge = ({ bytes }: Body) => bytes > maxSmallBytes;
  const count = (body: Body, bytes: number) => {
    held.all += bytes;
    if (isLarge(body)) held.large += bytes;
  };
  const fits = (body: Body) =>
    held.all + body.bytes <= maxBodiesBytes && (!isLarge(body) || held.large + body.bytes <= maxLargeBytes);
  const release = (body: Body) => {
    if (bodies.delete(body)) count(body, -body.bytes);
    const at = waiting.indexOf(body);
    if (at >= 0) waiting.splice(at, 1);
    admitNext();
  };
  const admitNext = () => {
    for (let next = waiting[0]; next !== undefined && fits(next); next = waiting[0]) {
      waiting.shift();
      bodies.add(next);
      count(next, next.bytes);
      next.since = clock.monotonic();
      next.admit();
    }
    endSlow();
  };
  /** While others wait, ends the body that is not complete for the longest time, now or when it is slow. */
  const endSlow = () => {
    cancelSlow?.();
    cancelSlow = undefined;
    if (waiting.length === 0) return;
    const slowest = [...bodies].find(({ isComplete }) => !isComplete);
    if (slowest === undefined) return;
    const leftMs = slowest.since + SLOW_MS - clock.monotonic();
    if (leftMs > 0) cancelSlow = clock.after(leftMs, endSlow);
    else {
      slowest.request.destroy();
      release(slowest);
    }
  };
  /** One in chunks has got memory for the longest body. */
  const settle = (body: Body, received: number) => {
    count(body, -body.bytes);
    body.bytes = received;
    count(body, received);
    admitNext();
  };
  /** Resolves when there is memory for the body. @throws RefusedBodyError if there is none until its request ends */
  const admitted = (request: IncomingMessage, bytes: number) =>
    new Promise<Body>((resolve, reject) => {
      const body: Body = { request, bytes, since: 0, isComplete: false, admit: () => resolve(body) };
      request.once('close', () => {
        if (!waiting.includes(body)) return;
        release(body);
        reject(new RefusedBodyError(503));
      });
      const at = waiting.findIndex((other) => other.bytes > bytes);
      waiting.splice(at < 0 ? waiting.length : at, 0, body);
      admitNext();
    });
  const isSlow = ({ since }: Unread) => clock.monotonic() - since >= SLOW_MS;
  /** While there is too much, ends the connection whose response waits for the longest time, now or when it is slow. */
  const endUnread = () => {
    cancelUnread?.();
    cancelUnread = undefined;
    for (const each of unread) {
      if (unreadBytes <= MAX_UNREAD_BYTES) return;
      if (isSlow(each)) {
        forgetUnread(each);
        each.socket.destroy();
      } else {
        cancelUnread = clock.after(each.since + SLOW_MS - clock.monotonic(), endUnread);
        return;
      }
    }
  };
  const forgetUnread = (each: Unread) => {
    if (unread.delete(each)) unreadBytes -= each.bytes;
  };
  const makeRoomForConnection = (opened: Connection) => {
    if (connections.size <= maxConnections) return;
    const idle = [...connections.values()].find((each) => each !== opened && each.serving === 0);
    const slow = [...unread].find(isSlow);
    (idle ?? slow ?? opened).socket.destroy();
  };
  return {
    opened: (socket) => {
      const id = idOf(socket);
      const connection = { socket, serving: 0, receiving: 0 };
      connections.set(id, connection);
      socket.once('close', () => {
        if (connections.get(id) === connection) connections.delete(id);
      });
      makeRoomForConnection(connection);
    },
    answered: ({ socket }, response) => {
      const bytes = response.writableLength;
      if (bytes === 0) return;
      const each = { socket, bytes, since: clock.monotonic() };
      unread.add(each);
      unreadBytes += bytes;
      response.once('close', () => {
        forgetUnread(each);
        endUnread();
      });
      endUnread();
    },
    receive: async (request, response) => {
      const id = idOf(request.socket);
      const connection = connections.get(id);
      if (connection !== undefined && connection.serving + connection.receiving >= MAX_PIPELINED) {
        request.socket.destroy();
        throw new RefusedBodyError(503);
      }
      const bytes = lengthOf(request, maxBodyBytes);
      if (bytes > maxBodyBytes) throw new RefusedBodyError(413);
      if (connection) connection.receiving++;
      let body: Body | undefined;
      try {
        const own = await admitted(request, bytes);
        body = own;
        const chunks: Buffer[] = [];
        let received = 0;
        for await (const chunk of request as AsyncIterable<Buffer>) {
          received += chunk.length;
          if (received > bytes) throw new RefusedBodyError(413);
          chunks.push(chunk);
        }
        own.isComplete = true;
        settle(own, received);
        if (connection) {
          connection.serving++;
          response.once('close', () => {
            connection.serving--;
            // The next one to be closed is the one that has been idle for longest.
            if (connections.delete(id)) connections.set(id, connection);
            if (isStopped && connection.serving + connection.receiving === 0) request.socket.end();
          });
        }
        response.once('close', () => release(own));
        return Buffer.concat(chunks);
      } catch (error) {
        if (body !== undefined) release(body);
        throw error;
      } finally {
        if (connection) connection.receiving--;
      }
    },
    stop: () => {
      isStopped = true;
      for (const { socket, serving, receiving } of connections.values())
        if (serving + receiving === 0) socket.destroy();
    },
  };
}

/** What the headers say; the limit for a body in chunks, whose length is not known. */
function lengthOf({ headers }: IncomingMessage, maxBodyBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBodyBytes;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) && length >= 0 ? length : maxBodyBytes;
}

/** Of both the TCP socket and the TLS socket on it. */
const idOf = ({ remoteAddress, remotePort, remoteFamily }: Socket): string =>
  `${remoteFamily} ${remoteAddress} ${remotePort}`;
