import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../../internal/framework/base/loopback.fixture.ts';

/** A network path to a server of this machine, which can fail. */
export interface NetworkPath {
  /** On 127.0.0.1. */
  readonly port: number;
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** A URL of the server, by this path. */
  through(url: string): string;
  /** Connections that were made so far. */
  connections(): number;
  /** New connections lead to the server of this URL; those that are open stay. Undefined: they are never answered. */
  leadTo(server: string | undefined): void;
  /** From now on nothing of the connections that are open gets through, and neither side learns of it. New ones work. */
  drop(): void;
  /** Ends the connections that are open. New ones work. */
  cut(): void;
  /** Resets the connections that are open, as a load balancer that forgot them, and returns how many that were. */
  reset(): number;
  /** Ends all connections, and those that come, until the returned function is called. */
  refuse(): () => void;
  close(): Promise<void>;
}

/** @param server its URL; undefined: a black hole, like a firewall that drops packets */
export async function openNetworkPath(server?: string): Promise<NetworkPath> {
  const open = new Set<{ readonly ends: readonly Socket[]; isDropping: boolean }>();
  let port = portOf(server);
  let connections = 0;
  let isRefusing = false;
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    connections++;
    if (isRefusing) {
      client.destroy();
      return;
    }
    // What a black hole swallows is not read either.
    const onward = port === undefined ? undefined : connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const connection = { ends: onward === undefined ? [client] : [client, onward], isDropping: false };
    open.add(connection);
    client.on('close', () => open.delete(connection));
    if (onward === undefined) return;
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (chunk) => connection.isDropping || to.write(chunk));
      from.on('end', () => connection.isDropping || to.end());
      from.on('close', () => to.destroy());
    }
  });
  const listening = await listenOnLoopback(listener);
  const endAll = (end: (socket: Socket) => void) => {
    const ended = open.size;
    for (const { ends } of open) for (const socket of ends) end(socket);
    return ended;
  };
  const cut = () => void endAll((socket) => socket.destroy());
  return {
    port: listening.port,
    address: `127.0.0.1:${listening.port}`,
    through: (url) => Object.assign(new URL(url), { port: String(listening.port) }).href,
    connections: () => connections,
    leadTo: (other) => {
      port = portOf(other);
    },
    drop: () => {
      for (const connection of open) connection.isDropping = true;
    },
    cut,
    reset: () => endAll((socket) => socket.resetAndDestroy()),
    refuse: () => {
      isRefusing = true;
      cut();
      return () => {
        isRefusing = false;
      };
    },
    close: () => {
      cut();
      return listening.close();
    },
  };
}

const portOf = (server: string | undefined): number | undefined =>
  server === undefined ? undefined : Number(new URL(server).port);
